"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // A link into a closed part opens it, and what it leads to is brought into sight.
  const show = () => {
    const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
    if (target === null) return;
    for (let node = target; node !== null; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
    all(".here").forEach((node) => node.classList.remove("here"));
    const mark = target.nextElementSibling;
    if (target.tagName === "A" && mark !== null && mark.tagName === "MARK") {
      mark.classList.add("here");
      mark.scrollIntoView({block: "center"});
    } else {
      target.scrollIntoView({block: "start"});
    }
  };
  addEventListener("hashchange", show);

  for (const button of all("button[data-open]")) {
    button.addEventListener("click", () => {
      for (const part of all("details.measure")) part.open = button.dataset.open === "all";
    });
  }
  const box = document.getElementById("only-missed");
  box.addEventListener("change", () => document.getElementById("opportunities").classList.toggle("only-missed", box.checked));

  // Edges of the node under the pointer.
  const edges = all(".edge");
  for (const node of all("[data-node]")) {
    const light = (lit) => edges.forEach((edge) => {
      if (edge.dataset.ends.split(" ").includes(node.dataset.node)) edge.classList.toggle("lit", lit);
    });
    node.addEventListener("pointerenter", () => light(true));
    node.addEventListener("pointerleave", () => light(false));
  }
  show();
  document.documentElement.dataset.ready = "yes";
})();
