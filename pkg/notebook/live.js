(address, kernel) => {
  // The way to the kernel. GoNB's own script has one too, but it only knows
  // pages that are served without a path of their own and over plain http, and
  // it gives up where an answer of the kernel is lost. So this one speaks GoNB's
  // protocol by itself: it opens a comm, and again where it may have been
  // replaced, and says more than once where the controls are. The program takes
  // each position once.
  const connect = () => {
    const uuid = () => {
      const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
      return [hex.slice(0, 8), hex.slice(8, 12), "4" + hex.slice(13, 16), "8" + hex.slice(17, 20), hex.slice(20)].join("-");
    };
    const lab = document.getElementById("jupyter-config-data");
    const base = document.body.dataset.baseUrl || (lab && JSON.parse(lab.textContent).baseUrl) || "/";
    const session = uuid(), comm = uuid();
    const socket = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + base +
      "api/kernels/" + kernel + "/channels?session_id=" + session);
    const send = (type, content) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      const id = uuid();
      socket.send(JSON.stringify({
        header: { msg_id: id, msg_type: type, session, username: "", version: "5.3", date: new Date().toISOString() },
        msg_id: id, msg_type: type, parent_header: {}, metadata: {}, content, channel: "shell",
      }));
    };
    const link = { said: null, timers: [] };
    const open = () => send("comm_open", { comm_id: comm, target_name: "gonb_comm", kernel_id: kernel, data: {} });
    const tell = () => link.said && send("comm_msg", { comm_id: comm, data: { address, value: link.said } });
    link.say = (text) => {
      link.said = text;
      link.timers.forEach(clearTimeout);
      tell();
      link.timers = [100, 600, 2000].flatMap((after) => [setTimeout(open, after), setTimeout(tell, after + 100)]);
    };
    let opened = false;
    socket.onopen = () => {
      opened = true;
      if (link.said) link.say(link.said);
    };
    socket.onclose = () => {
      link.timers.forEach(clearTimeout);
      if (link.lost) link.lost();
      if (!opened) setTimeout(forget, 3500);
    };
    // Where there is no way to the kernel it cannot take its script away. In
    // Jupyter Notebook it is then the last output of the cell, shows nothing, and
    // need not be saved.
    const forget = () => {
      const book = globalThis.Jupyter && globalThis.Jupyter.notebook;
      for (const cell of book ? book.get_cells() : []) {
        const outputs = (cell.output_area && cell.output_area.outputs) || [];
        const html = String((outputs.length && outputs[outputs.length - 1].data || {})["text/html"] || "");
        if (html.startsWith("<script>") && html.includes("gonb_comm")) outputs.pop();
      }
    };
    socket.onmessage = () => {
      if (link.box && !link.box.isConnected) socket.close(); // the cell has ended
    };
    // The kernel waits for a comm before it passes the controls on. What of its
    // script it has shown by then it takes away when it gets one.
    for (let n = 1; n <= 6; n++) link.timers.push(setTimeout(open, 400 * n));
    return link;
  };

  const key = "overlap-" + address;
  const box = document.getElementById(address);
  const link = globalThis[key] || (globalThis[key] = connect());
  if (!box) return;

  const fields = Array.from(box.querySelectorAll("[data-control]"));
  const least = 80; // milliseconds from one event of a moving slider to the next
  let seq = Date.now(); // greater than any from an earlier loading of this page
  let last = 0, waiting = 0;

  const send = (done) => {
    clearTimeout(waiting);
    waiting = 0;
    last = Date.now();
    link.say(JSON.stringify({ seq: ++seq, at: fields.map((f) => Number(f.value)), done }));
  };
  // The last position is always sent, those before it not more often than least.
  const soon = () => {
    if (!waiting) waiting = setTimeout(send, Math.max(0, last + least - Date.now()), false);
  };
  const off = () => {
    for (const it of box.querySelectorAll("input, select, button")) it.disabled = true;
  };

  for (const field of fields) {
    if (field.type === "range") {
      field.addEventListener("input", () => {
        field.parentElement.querySelector("output").textContent = field.value;
        soon();
      });
    } else if (field.tagName === "SELECT") {
      field.addEventListener("change", soon);
    } else {
      field.addEventListener("click", () => {
        field.value = Number(field.value) + 1;
        soon();
      });
    }
  }
  box.querySelector("[data-done]").addEventListener("click", () => {
    send(true);
    off();
  });
  // The notebook's own shortcuts are for the keys that no control has use for.
  box.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });
  link.box = box;
  link.lost = () => {
    off();
    box.querySelector("[role=status]").textContent = "Not connected to the kernel any more. Interrupt it and run the cell again.";
  };
  send(false);
}
