// Validates a document against a JSON Schema by ajv: `ajv.mjs SCHEMA DOCUMENT`. Prints the errors, and exits with their number.
import { readFileSync } from "node:fs";
import formats from "ajv-formats";
import Draft7 from "ajv";
import Draft2020 from "ajv/dist/2020.js";

const [schema, document] = process.argv.slice(2).map((path) => JSON.parse(readFileSync(path, "utf8")));
const Validator = schema.$schema.includes("2020-12") ? Draft2020 : Draft7;
// The registry's schema has keywords of OpenAPI beside those of JSON Schema.
const ajv = new Validator({ allErrors: true, strict: false });
formats(ajv);
const errors = ajv.validate(schema, document) ? [] : ajv.errors;
for (const error of errors) console.log(`${error.instancePath || "/"} ${error.message}`);
process.exitCode = Math.min(errors.length, 100);
