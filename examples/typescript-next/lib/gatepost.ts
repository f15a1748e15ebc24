import { Gatepost, Verifier } from "@gatepost/client";

const { GATEPOST_URL: url, GATEPOST_OPERATOR_TOKEN: token } = process.env;

export const gatepost = new Gatepost({ url, token });
export const keys = new Verifier(gatepost);
