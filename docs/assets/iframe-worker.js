// The search of the site runs in a worker, and browsers start none for pages on disk.
// There it runs in a hidden frame instead. Nothing is loaded from the network.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) =>
        this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      this.ready = new Promise((resolve, reject) => {
        script.onload = () => resolve(inside);
        script.onerror = () => reject(new Error(`There is no ${url}`));
      });
      script.src = new URL(url, location.href).href;
      inside.document.body.append(script);
    }

    async postMessage(data) {
      const inside = await this.ready;
      inside.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
