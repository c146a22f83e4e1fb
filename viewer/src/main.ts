/* The start of the page. */
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { App } from "./app/app";
import { openPage } from "./app/opening";
import { readBack, type ReadBack } from "./app/read_back";
import { el } from "./panel/dom";

declare const __RIGOR_VERSION__: string;

declare global {
  interface Window {
    rigor?: ReadBack;
  }
}

function start(host: HTMLElement): void {
  let app: App;
  try {
    app = new App(host, __RIGOR_VERSION__);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    host.replaceChildren(
      el("div", { class: "message" }, el("h1", {}, "The page cannot draw"), el("p", {}, `It needs WebGL 2: ${why}`)),
    );
    return;
  }
  Object.defineProperty(window, "rigor", { value: Object.freeze(readBack(app)) });
  void openPage(app);
}

const host = document.getElementById("app");
if (host) start(host);
