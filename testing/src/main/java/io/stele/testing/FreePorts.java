package io.stele.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A source of free TCP ports of this host for servers in processes of their own, which listen on
 * them some seconds later, or again after a restart. Thread-safe.
 */
public final class FreePorts {
    private static final int FIRST = 15_000;
    private static final int COUNT = 15_000;
    private static final int COUNT_OF_A_PROCESS = 100;

    /**
     * Processes that run side by side mostly begin at different ports, and none is given twice:
     * until its server listens, it looks free to the others.
     */
    private static final AtomicInteger NEXT =
            new AtomicInteger((int) (ProcessHandle.current().pid() * COUNT_OF_A_PROCESS % COUNT));

    private FreePorts() {}

    /**
     * A port that is free now, below the ports that systems give to outgoing connections: any
     * process could take one of those in the meantime.
     */
    public static int find() {
        while (true) {
            int candidate = FIRST + NEXT.getAndIncrement() % COUNT;
            try (ServerSocket socket =
                    new ServerSocket(candidate, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (BindException taken) {
                // another one
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
