const settings = {
  speed: 140,
  startLength: 4,
  lives: 3,
  wallsKill: true,
};
