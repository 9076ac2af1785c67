// What the bot uses of Node, so that it needs no package. Leave it alone; to use more
// of Node, delete it, `npm install @types/node`, and take `types` out of tsconfig.json.

declare const console: { error(...values: unknown[]): void };
declare const module: unknown;
declare const process: {
  readonly stdin: {
    destroy(): void;
    on(event: "data", listener: (text: string) => void): void;
    setEncoding(encoding: "utf8"): void;
  };
  readonly stdout: { write(text: string): void };
};
declare const require: { readonly main: unknown };

declare module "node:assert" {
  export function deepStrictEqual(actual: unknown, expected: unknown): void;
  export function ok(value: unknown): void;
  export function strictEqual(actual: unknown, expected: unknown): void;
}

declare module "node:test" {
  export function test(name: string, body: () => void): void;
}
