// Which countries belong to which zone.
const zones = {
  A: ["Austria", "Belgium", "Denmark", "France", "Netherlands"],
  B: ["Finland", "Ireland", "Italy", "Spain", "Sweden"],
  C: ["Iceland", "Norway", "Switzerland", "United Kingdom"],
};
