package io.stele.benchmarks.serving;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis in its protocol RESP2: commands are sent, and replies read in their order,
 * so that many may be on their way. Confined to one thread.
 */
public final class RespConnection implements AutoCloseable {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Socket socket;
    private final OutputStream out;
    private final InputStream in;

    private RespConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.out = new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES);
        this.in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
    }

    public static RespConnection open(String host, int port) throws IOException {
        Socket socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        return new RespConnection(socket);
    }

    /** Sends a command and reads its reply. */
    public @Nullable Object call(List<String> command) throws IOException {
        send(command);
        return reply();
    }

    /** Writes a command to the buffer; {@link #reply} sends what is buffered. */
    public void send(List<String> command) throws IOException {
        header('*', command.size());
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            header('$', bytes.length);
            out.write(bytes);
            out.write('\r');
            out.write('\n');
        }
    }

    private void header(char kind, int count) throws IOException {
        out.write((kind + Integer.toString(count) + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * The next reply: a text, a number, a list of these, or null.
     *
     * @throws IOException also for an error of the server
     */
    public @Nullable Object reply() throws IOException {
        out.flush();
        return read();
    }

    private @Nullable Object read() throws IOException {
        int kind = in.read();
        String line = line();
        return switch (kind) {
            case '+' -> line;
            case ':' -> Long.parseLong(line);
            case '$' -> text(Integer.parseInt(line));
            case '*' -> list(Integer.parseInt(line));
            case '-' -> throw new IOException("Redis answered " + line);
            default -> throw new IOException("Expected a reply of Redis, found byte " + kind);
        };
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\r'; next = in.read()) {
            if (next < 0) {
                throw new IOException("Expected a line of Redis, found the end");
            }
            line.append((char) next);
        }
        in.read(); // the line feed
        return line.toString();
    }

    private @Nullable String text(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new IOException("Expected %d bytes of Redis, found the end".formatted(length));
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> list(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> values = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            values.add(read());
        }
        return values;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
