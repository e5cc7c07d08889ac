package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The runner of PostgreSQL 15's pgbench and psql as child processes, with prepared statements. */
final class Pgbench {
    private static final String DEBIAN = "/usr/lib/postgresql/15/bin";
    private static final Pattern TPS = Pattern.compile("tps = ([0-9.]+)");
    private static final Pattern PROCESSED =
            Pattern.compile("number of transactions actually processed: ([0-9]+)");
    private static final Pattern FAILED =
            Pattern.compile("number of failed transactions: ([0-9]+)");

    /** Transactions that conflict are run again, by both servers' rules, so often at most. */
    private static final int MAX_TRIES = 100;

    private static final int MAX_SECONDS = 60;

    private final Path pgbench;
    private final Path psql;

    private Pgbench(Path pgbench, Path psql) {
        this.pgbench = requireNonNull(pgbench, "pgbench is null");
        this.psql = requireNonNull(psql, "psql is null");
    }

    /** Empty where they are not installed. */
    static Optional<Pgbench> find() {
        return PeerProcess.find("pgbench", DEBIAN)
                .flatMap(
                        pgbench ->
                                PeerProcess.find("psql", DEBIAN)
                                        .map(psql -> new Pgbench(pgbench, psql)));
    }

    /**
     * Transactions a second of a script, without the time to connect.
     *
     * @param script options that name it
     * @param rows the variable {@code rows} of the script
     */
    double run(PostgresAddress server, List<String> script, long rows, int clients, int seconds)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(pgbench.toString()));
        command.addAll(server.arguments());
        command.addAll(List.of("--no-vacuum", "--protocol=prepared"));
        command.addAll(List.of("--client=" + clients, "--jobs=" + Math.min(2, clients)));
        command.addAll(List.of("--time=" + seconds, "--max-tries=" + MAX_TRIES));
        command.add("--define=rows=" + rows);
        command.addAll(script);
        command.add(server.database());
        String output = PeerProcess.run(command, server.environment());
        if (number(PROCESSED, output) == 0 && seconds < MAX_SECONDS) {
            // Its time includes that of logins, its rate does not
            return run(server, script, rows, clients, 2 * seconds);
        }
        if (number(FAILED, output) != 0) {
            throw new IllegalStateException("Expected no failed transaction, found " + output);
        }
        return number(TPS, output);
    }

    private static double number(Pattern pattern, String output) {
        Matcher matcher = pattern.matcher(output);
        if (!matcher.find()) {
            throw new IllegalStateException("Expected %s, found %s".formatted(pattern, output));
        }
        return Double.parseDouble(matcher.group(1));
    }

    /** Copies a file into a table and returns the seconds that psql took. */
    double copySeconds(PostgresAddress server, String table, Path file)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(psql.toString()));
        command.addAll(server.arguments());
        command.addAll(List.of("--no-psqlrc", "--set=ON_ERROR_STOP=1", "-d", server.database()));
        command.addAll(List.of("-c", "\\copy %s from '%s'".formatted(table, file)));
        long start = System.nanoTime();
        PeerProcess.run(command, server.environment());
        return (System.nanoTime() - start) / 1e9;
    }
}
