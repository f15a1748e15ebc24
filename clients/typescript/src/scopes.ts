/** The scopes in a text such as `orders:read orders:write` (RFC 6749). */
export function scopesIn(text: string): string[] {
  return text.split(/[ \t\n\f\r]+/).filter(Boolean);
}
