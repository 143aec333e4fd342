const settings = {
  speed: 100,
  startLength: 4,
  lives: 3,
  wallsKill: true,
};
