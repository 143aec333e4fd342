const members = [
  { name: "Ines", address: { street: "Rua Nova 3", city: "Porto" } },
  { name: "Tom", address: { street: "Mill Lane 8", city: "Leeds" } },
  { name: "Olga" },
  { name: "Ravi", address: { street: "Station Road 1", city: "Pune" } },
  { name: "Lena", address: { street: "Am Bach 5" } },
];
