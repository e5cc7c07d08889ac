package io.stele.sidecar.framed;

import java.io.IOException;
import java.net.Socket;
import java.time.Duration;

/**
 * A close of a socket's outgoing side that still reads input for a moment, so that TCP delivers the
 * last reply. A close with unread bytes would make TCP discard it (RFC 1122, 4.2.2.13).
 */
final class LingeringClose {
    // Long enough for bytes in flight; a client that continues to send is cut off.
    private static final Duration LINGER = Duration.ofMillis(500);
    private static final int MAX_LINGER_BYTES = 1 << 20;

    private LingeringClose() {}

    /** Ends the output and reads the input; the caller closes the socket. */
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
