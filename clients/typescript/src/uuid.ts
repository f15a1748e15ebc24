let lastTime = 0;
let sequence = 0;

/** A UUIDv7 (RFC 9562): ids of one process ascend. */
export function uuidv7(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const now = Date.now();
  // Within a millisecond, and while the clock is set back, 12 bits count on; then the time does.
  if (now > lastTime) [lastTime, sequence] = [now, ((bytes[6]! & 0x07) << 8) | bytes[7]!];
  else if (++sequence > 0xfff) [lastTime, sequence] = [lastTime + 1, 0];
  for (let index = 0; index < 6; index++) bytes[index] = Math.floor(lastTime / 2 ** (8 * (5 - index)));
  bytes[6] = 0x70 | (sequence >> 8);
  bytes[7] = sequence & 0xff;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}
