// The types of what `preact.js` contains, from the packages that it was made from.
export { Component, Fragment, h, render } from "preact";
export type { ComponentChildren, VNode } from "preact";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { VNode } from "preact";
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => VNode<any>;
