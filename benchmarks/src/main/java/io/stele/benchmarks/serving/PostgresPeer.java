package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The peer PostgreSQL 15, a child process with a data folder of its own. It is durable as by
 * default, with the caller's amount of shared buffers and a large write-ahead log. Where this
 * process is root, it runs as the user {@code postgres}. Confined to one thread.
 */
final class PostgresPeer implements AutoCloseable {
    private static final String DEBIAN = "/usr/lib/postgresql/15/bin";
    private static final String USER = "postgres";

    private final Path data;
    private final Path postgres;
    private final Path log;
    private final PostgresAddress address;
    private PeerProcess process;

    private PostgresPeer(
            Path data, Path postgres, Path log, PostgresAddress address, PeerProcess process) {
        this.data = requireNonNull(data, "data is null");
        this.postgres = requireNonNull(postgres, "postgres is null");
        this.log = requireNonNull(log, "log is null");
        this.address = requireNonNull(address, "address is null");
        this.process = requireNonNull(process, "process is null");
    }

    /** Starts one over a new folder; empty, with a line that says why, where there is none. */
    static Optional<PostgresPeer> start(Path folder, int bufferMegabytes)
            throws InterruptedException {
        Optional<Path> postgres = PeerProcess.find("postgres", DEBIAN);
        Optional<Path> initdb = PeerProcess.find("initdb", DEBIAN);
        if (postgres.isEmpty() || initdb.isEmpty()) {
            System.out.println("PostgreSQL is absent: no postgres and initdb were found");
            return Optional.empty();
        }
        try {
            Path data = Files.createDirectories(folder.resolve("data"));
            if (isRoot()) {
                PeerProcess.run(List.of("chown", USER, data.toString()), Map.of());
            }
            List<String> init = new ArrayList<>(List.of("setpriv"));
            init.addAll(asUser());
            init.add(initdb.orElseThrow().toString());
            init.addAll(List.of("-A", "trust", "-U", USER, "--no-sync", "-E", "UTF8"));
            init.addAll(List.of("--locale=C", "-D", data.toString()));
            PeerProcess.run(init, Map.of());
            PostgresAddress address = new PostgresAddress(PeerProcess.freePort(), USER, USER, "");
            Path log = folder.resolve("postgresql.log");
            PeerProcess process =
                    launch(postgres.orElseThrow(), data, log, address, bufferMegabytes);
            return Optional.of(
                    new PostgresPeer(data, postgres.orElseThrow(), log, address, process));
        } catch (IOException e) {
            System.out.println("PostgreSQL is absent: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Starts the server again, with other shared buffers. */
    void restart(int bufferMegabytes) throws IOException, InterruptedException {
        process.close();
        process = launch(postgres, data, log, address, bufferMegabytes);
    }

    private static PeerProcess launch(
            Path postgres, Path data, Path log, PostgresAddress address, int bufferMegabytes)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(postgres.toString(), "-D", data.toString()));
        List<String> settings =
                List.of(
                        "listen_addresses=" + PostgresAddress.HOST,
                        "port=" + address.port(),
                        "unix_socket_directories=",
                        "max_connections=300",
                        "synchronous_commit=on",
                        "shared_buffers=" + bufferMegabytes + "MB",
                        "max_wal_size=4GB");
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        return PeerProcess.start(
                "PostgreSQL", asUser(), command, log, () -> address.connect().close());
    }

    private static List<String> asUser() {
        return isRoot()
                ? List.of("--reuid", USER, "--regid", USER, "--init-groups")
                : List.of("--inh-caps=-all");
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    PostgresAddress address() {
        return address;
    }

    long pid() {
        return process.pid();
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = address.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
