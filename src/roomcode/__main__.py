"""`python -m roomcode`."""

from roomcode.cli import main

if __name__ == "__main__":
    main()
