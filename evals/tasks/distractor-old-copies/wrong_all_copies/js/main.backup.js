document.getElementById("hello").onclick = function () {
  alert("Good evening");
};
