const settings = {
  speed: 140,
  startLength: 4,
  lives: 6,
  wallsKill: true,
};
