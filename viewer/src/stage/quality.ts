/*
 * How fine the picture is drawn: with smooth edges and a large shadow by a graphics card, simpler where the browser draws in
 * software. The address may ask for one of them: ?quality=high or ?quality=low.
 */

export interface Quality {
  smooth: boolean; // edges
  shadowPixels: number;
  mostPixelRatio: number;
}

const HIGH: Quality = { smooth: true, shadowPixels: 2048, mostPixelRatio: 2 };
const LOW: Quality = { smooth: false, shadowPixels: 1024, mostPixelRatio: 1 };
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return true;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(String(name));
}

export function chooseQuality(query: string): Quality {
  const asked = new URLSearchParams(query).get("quality");
  if (asked === "high") return HIGH;
  return asked === "low" || drawsInSoftware() ? LOW : HIGH;
}
