import { connect, createServer, type Socket } from "node:net";

/** Where a connection is cut: at a packet of one direction, counted from when it is said. */
export interface Cut {
  readonly direction: "to-server" | "to-client";
  readonly atPacket: number;
  /** How much of the packet still comes through. */
  readonly passes: "nothing" | "half" | "all";
  /** The state of the network from then on: connections are taken as before, or all are cut and none is taken until `heal`. */
  readonly network: "up" | "down";
}

/** A relay on loopback between a client and its server, which cuts connections. */
export interface CuttingRelay {
  readonly port: number;
  /** Cuts the next connection that comes to this point. */
  cut(at: Cut): void;
  /** Takes back a cut that was not made, and takes connections again. Answers if the last cut was made. */
  heal(): boolean;
  close(): Promise<void>;
}

/** Starts a relay to a server's socket. */
export async function startCuttingRelay(serverSocket: string): Promise<CuttingRelay> {
  const sockets = new Set<Socket>();
  let next: Cut | null = null;
  let packets = 0;
  let [isDown, isMade] = [false, false];
  const end = (...pair: readonly Socket[]) => {
    for (const socket of pair) {
      socket.destroy();
      sockets.delete(socket);
    }
  };
  const relay = createServer((client) => {
    // Only the two ends may hear of a break.
    client.on("error", () => undefined);
    if (isDown) return end(client);
    const server = connect(serverSocket);
    const pass = (direction: Cut["direction"], from: Socket, to: Socket) => {
      sockets.add(from);
      from.on("error", () => end(from, to));
      from.on("close", () => end(from, to));
      from.on("data", (data) => {
        if (next?.direction !== direction) return void to.write(data);
        packets += 1;
        if (packets !== next.atPacket) return void to.write(data);
        const { passes, network } = next;
        next = null;
        [isMade, isDown] = [true, network === "down"];
        const part = data.subarray(0, { nothing: 0, half: Math.floor(data.length / 2), all: data.length }[passes]);
        from.pause();
        to.write(part, () => end(...(isDown ? sockets : [from, to])));
      });
    };
    pass("to-server", client, server);
    pass("to-client", server, client);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const address = relay.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cut: (at) => {
      [next, packets, isMade] = [at, 0, false];
    },
    heal: () => {
      [next, isDown] = [null, false];
      return isMade;
    },
    close: async () => {
      end(...sockets);
      await new Promise<void>((resolve) => relay.close(() => resolve()));
    },
  };
}
