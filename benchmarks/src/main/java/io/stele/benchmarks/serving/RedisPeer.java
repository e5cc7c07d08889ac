package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The peer Redis, a child process that syncs its log before it answers a write. The program is
 * {@code redis-server} of the search path, or the program that the environment variable {@code
 * STELE_REDIS_SERVER} names.
 */
final class RedisPeer implements AutoCloseable {
    private final int port;
    private final PeerProcess process;

    private RedisPeer(int port, PeerProcess process) {
        this.port = port;
        this.process = requireNonNull(process, "process is null");
    }

    /** Starts one over a new folder; empty, with a line that says why, where there is none. */
    static Optional<RedisPeer> start(Path folder) throws InterruptedException {
        Optional<Path> server =
                Optional.ofNullable(System.getenv("STELE_REDIS_SERVER"))
                        .map(Path::of)
                        .or(() -> PeerProcess.find("redis-server"));
        if (server.isEmpty()) {
            System.out.println("Redis is absent: no redis-server was found");
            return Optional.empty();
        }
        try {
            Files.createDirectories(folder);
            int port = PeerProcess.freePort();
            List<String> command =
                    List.of(
                            server.orElseThrow().toString(),
                            "--bind",
                            PostgresAddress.HOST,
                            "--port",
                            Integer.toString(port),
                            "--dir",
                            folder.toString(),
                            "--appendonly",
                            "yes",
                            "--appendfsync",
                            "always",
                            "--save",
                            "");
            PeerProcess process =
                    PeerProcess.start(
                            "Redis",
                            List.of("--inh-caps=-all"),
                            command,
                            folder.resolve("redis.log"),
                            () -> ping(port));
            return Optional.of(new RedisPeer(port, process));
        } catch (IOException | IllegalStateException e) {
            System.out.println("Redis is absent: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static void ping(int port) throws IOException {
        try (RespConnection connection = RespConnection.open(PostgresAddress.HOST, port)) {
            connection.call(List.of("PING"));
        }
    }

    int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
