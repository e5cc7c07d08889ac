package io.stele.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A source of free TCP ports of this host for servers in processes of their own, which listen on
 * them some seconds later, or again after a restart. Stateless.
 */
public final class FreePorts {
    private FreePorts() {}

    /**
     * A port that is free now, below the ports that systems give to outgoing connections: any
     * process could take one of those in the meantime.
     */
    public static int find() {
        while (true) {
            int candidate = ThreadLocalRandom.current().nextInt(15_000, 30_000);
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
