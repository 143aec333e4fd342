// pause
