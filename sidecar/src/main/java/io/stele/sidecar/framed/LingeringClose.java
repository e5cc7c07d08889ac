package io.stele.sidecar.framed;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/**
 * A close that ends the outgoing side of a socket and reads what still comes, for a moment: closing
 * with unread bytes would make TCP throw the last reply away (RFC 1122, 4.2.2.13).
 */
final class LingeringClose {
    // Long enough for what is on its way; a client that sends on is cut off.
    private static final Duration LINGER = Duration.ofMillis(500);
    private static final int MAX_LINGER_BYTES = 1 << 20;

    private LingeringClose() {}

    /** Leaves it to the caller to close the socket. */
    static void endInput(Socket socket) throws IOException {
        socket.shutdownOutput();
        long deadline = System.nanoTime() + LINGER.toNanos();
        byte[] rest = new byte[8192];
        int read = 0;
        for (int total = 0; read >= 0 && total < MAX_LINGER_BYTES; total += read) {
            long leftMillis = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (leftMillis <= 0) {
                return;
            }
            socket.setSoTimeout((int) leftMillis);
            read = socket.getInputStream().read(rest);
        }
    }
}
