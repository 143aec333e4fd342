function nextPicture(index, total) {
  return (index + 1) % total;
}
