package io.stele.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real S3 server over a folder, versitygw, as a process of its own on a free loopback port: for
 * tests and benchmarks. {@code bin/internal/find-versitygw} finds or builds it.
 */
public final class VersityGateway implements AutoCloseable {
    /** The bucket that every gateway has. */
    public static final String BUCKET = "warehouse";

    private static final String ACCESS_KEY = "test";
    private static final String SECRET_KEY = "testsecret";
    private static final String FINDER = "bin/internal/find-versitygw";
    private static final int START_ATTEMPTS = 3_600;
    private static final long START_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Process process;
    private final int port;

    private VersityGateway(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** There is no versitygw, and none can be built; the message names what to install. */
    public static final class MissingException extends IOException {
        private static final long serialVersionUID = 1;

        MissingException(String message) {
            super(message);
        }
    }

    /**
     * Starts one and waits until it answers.
     *
     * @param directory of its objects, created with the bucket; its log is beside it
     * @throws MissingException if there is no versitygw
     */
    public static VersityGateway start(Path directory) throws IOException {
        requireNonNull(directory, "directory is null");
        String program = program();
        Files.createDirectories(directory.resolve(BUCKET));
        Path log = directory.resolveSibling("versitygw.log");
        int port = FreePorts.find();
        ProcessBuilder builder =
                new ProcessBuilder(
                        program,
                        "--port",
                        "127.0.0.1:" + port,
                        "--quiet",
                        "--keep-alive",
                        "posix",
                        directory.toString());
        builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
        builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        VersityGateway gateway = new VersityGateway(builder.start(), port);
        try {
            gateway.awaitReady(log);
            return gateway;
        } catch (IOException | RuntimeException failed) {
            gateway.process.destroyForcibly();
            throw failed;
        }
    }

    private static String program() throws IOException {
        Process find =
                new ProcessBuilder(home().resolve(FINDER).toString())
                        .redirectErrorStream(true)
                        .start();
        String said = new String(find.getInputStream().readAllBytes(), UTF_8).strip();
        try {
            if (find.waitFor() != 0) {
                throw new MissingException(said);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while looking for versitygw");
        }
        return said.substring(said.lastIndexOf('\n') + 1);
    }

    /** The repository: the folder above the present one that has the finder. */
    private static Path home() throws MissingException {
        Path start = Path.of("").toAbsolutePath();
        for (@Nullable Path at = start; at != null; at = at.getParent()) {
            if (Files.exists(at.resolve(FINDER))) {
                return at;
            }
        }
        throw new MissingException("Expected " + FINDER + " above " + start + ", found none");
    }

    private void awaitReady(Path log) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (Socket ready = new Socket(InetAddress.getLoopbackAddress(), port)) {
                LockSupport.parkNanos(START_PAUSE_NANOS);
                if (process.isAlive()) { // else another server has the port
                    return;
                }
                throw new IOException("versitygw does not start; see " + log);
            } catch (ConnectException e) {
                if (attempt == START_ATTEMPTS || !process.isAlive()) {
                    throw new IOException("versitygw does not start; see " + log, e);
                }
                LockSupport.parkNanos(START_PAUSE_NANOS);
            }
        }
    }

    /** The port on which it listens. */
    public int port() {
        return port;
    }

    /** The connection settings, as entries of a configuration file. */
    public Map<String, String> properties() {
        return properties(port);
    }

    /** The connection settings through another port, on which a proxy listens. */
    public static Map<String, String> properties(int throughPort) {
        return Map.of(
                "s3.endpoint",
                "http://127.0.0.1:" + throughPort,
                "s3.path-style-access",
                "true",
                "s3.aws-access-key",
                ACCESS_KEY,
                "s3.aws-secret-key",
                SECRET_KEY);
    }

    /** Ends the process; its folder stays. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
