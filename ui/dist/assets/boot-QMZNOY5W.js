"use strict";(()=>{var e=localStorage.getItem("corten.theme"),t=e==="dark"||e!=="light"&&matchMedia("(prefers-color-scheme: dark)").matches;document.documentElement.dataset.theme=
t?"dark":"light";})();
