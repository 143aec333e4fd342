const settings = {
  speed: 280,
  startLength: 4,
  lives: 3,
  wallsKill: true,
};
