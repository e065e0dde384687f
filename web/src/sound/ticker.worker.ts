/** Ticks on a timer that a hidden page does not slow down. Says nothing but "tick"; told its interval in ms. */
let timer: ReturnType<typeof setInterval> | undefined;

self.onmessage = (event: MessageEvent<number>) => {
  clearInterval(timer);
  timer = undefined;
  if (event.data > 0) timer = setInterval(() => self.postMessage(null), event.data);
};
