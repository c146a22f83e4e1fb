/*
 * A server that answers like rigor view, with what a test gives it: the page, /config.json, recordings, and a WebSocket.
 */
import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ROOT } from "./rigor_process";
import { WebSocketServer, type WebSocket } from "ws";

const PAGE = process.env.RIGOR_PAGE ?? `${ROOT}build/page/index.html`;

export interface Served {
  config: object;
  recordings?: Uint8Array[];
  page?: (html: string) => string;
  connect?: (socket: WebSocket) => void;
  cut?: string; // a path whose answer breaks off
}

export interface MiniServer {
  url: string;
  close(): Promise<void>;
}

/** The head of an answer and a few bytes, then nothing. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { "Content-Length": 1000 });
  response.write("{", () => response.destroy());
}

export async function serve(served: Served, port = 0): Promise<MiniServer> {
  const html = readFileSync(PAGE, "utf8");
  const server: Server = createServer((request, response) => {
    const number = /^\/recording\/(\d)$/.exec(request.url ?? "")?.[1];
    const recording = number === undefined ? undefined : served.recordings?.[Number(number)];
    if (request.url === served.cut) breakOff(response);
    else if (request.url === "/") response.setHeader("Content-Type", "text/html; charset=utf-8").end(served.page?.(html) ?? html);
    else if (request.url === "/config.json")
      response.setHeader("Content-Type", "application/json").end(JSON.stringify(served.config));
    else if (recording) response.end(recording);
    else response.writeHead(404).end();
  });
  if (served.connect) new WebSocketServer({ server, path: "/ws" }).on("connection", served.connect);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
