declare module "lz4js" {
  export function compress(source: Uint8Array): Uint8Array;
  export function decompress(source: Uint8Array): Uint8Array;
}
