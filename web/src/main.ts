document.getElementById("app")?.append("EXAIM Voice");
