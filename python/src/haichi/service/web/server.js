// Requests of the page to the server, and the event streams of jobs.

const TOKEN_KEY = "haichi-token", ENDED_STATES = new Set(["done", "failed", "cancelled"]);

/// A rejected request: its status (0 if there was no response), and the message and hint of the program.
class Refusal extends Error {
  constructor(status, { message = "", hint = "" } = {}) {
    super(message || `the server answered ${status}`);
    Object.assign(this, { status, hint });
  }
}

class Server {
  /// `onStranger` is called with the refusal if a token is missing or wrong.
  constructor(onStranger) { this.onStranger = onStranger; }

  get token() { return sessionStorage.getItem(TOKEN_KEY) ?? ""; }

  set token(token) { if (token) sessionStorage.setItem(TOKEN_KEY, token); else sessionStorage.removeItem(TOKEN_KEY); }

  /// Sends a request and returns the response. Throws Refusal if the response is an error.
  async ask(method, path, { body, headers = {}, signal } = {}) {
    const known = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    let answer;
    try {
      answer = await fetch(path, { method, body, signal, headers: { ...headers, ...known }, cache: "no-store", redirect: "error" });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Refusal(0, { message: "The server does not answer.", hint: "check that the server runs and that this computer is connected" });
    }
    if (answer.ok) return answer;
    const content = await answer.json().catch(() => ({}));
    const refusal = new Refusal(answer.status, content.error);
    if (answer.status === 401) this.onStranger(refusal);
    throw refusal;
  }

  json(path) { return this.content(path, "json"); }

  text(path) { return this.content(path, "text"); }

  blob(path) { return this.content(path, "blob"); }

  /// The whole response, as JSON, text or blob.
  async content(path, kind) {
    const answer = await this.ask("GET", path);
    try {
      return await answer[kind]();
    } catch (error) {
      throw error instanceof SyntaxError ? error : new Refusal(0, { message: "The connection was lost." });
    }
  }

  job(id, rest = "") { return `v1/jobs/${encodeURIComponent(id)}${rest}`; }

  /// All events of a job from its beginning until its end, even if the server restarts. `isHeard` is called with false
  /// when the connection breaks, and with true when it is restored.
  async* events(id, signal, isHeard) {
    let last = null, pause = 500;
    while (!signal.aborted) {
      try {
        const headers = last === null ? {} : { "Last-Event-ID": last };
        const answer = await this.ask("GET", this.job(id, "/events"), { headers, signal });
        isHeard(true);
        for await (const event of serverSentEvents(answer.body)) {
          [last, pause] = [event.id, 500];
          yield event;
          if (event.name === "state" && ENDED_STATES.has(event.data.state)) return;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Refusal) || (error.status > 0 && error.status < 500)) throw error;
      }
      isHeard(false);
      await new Promise((wake) => { setTimeout(wake, pause); signal.addEventListener("abort", wake, { once: true }); });
      pause = Math.min(2 * pause, 4000);
    }
  }
}

const SILENCE_MS = 45_000;  // three intervals between comment lines of the server

/// Reads server-sent events from a response. EventSource is not used, because it cannot send a token.
async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const fields = Object.fromEntries(part.split("\n").filter((line) => /^\w+: /.test(line)).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
        if (fields.data) yield { id: fields.id, name: fields.event, data: JSON.parse(fields.data) };
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/// Reads with a timeout. A connection that breaks or stays silent throws Refusal.
function withinTime(reading) {
  return new Promise((resolve, reject) => {
    const lost = () => reject(new Refusal(0, { message: "The connection was lost." }));
    const timer = setTimeout(lost, SILENCE_MS);
    reading.then(resolve, lost).finally(() => clearTimeout(timer));
  });
}
