package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.servers.Clients;
import io.stele.client.flight.FlightClient;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The phase of the serving benchmark on pgbench's tables, which psql's COPY loads and pgbench reads
 * and changes by prepared statements. COPY reads a file of rows of about 100 B. Both servers have
 * the primary key while they load.
 */
final class PgbenchPhase {
    private static final String ACCOUNTS = "pgbench_accounts";
    private static final int ACCOUNTS_OF_BRANCH = 100_000;
    private static final int FILLER = 84;
    private static final long COPY_PART = 1_000_000;
    private static final Map<String, String> SCRIPTS =
            Map.of("pgbench -S", "--select-only", "pgbench -N", "--skip-some-updates");

    private final ServingContext context;
    private final Samples samples = new Samples();

    PgbenchPhase(ServingContext context) {
        this.context = requireNonNull(context, "context is null");
    }

    void run() throws Exception {
        if (context.pgbench().isPresent()) {
            Pgbench pgbench = context.pgbench().orElseThrow();
            Map<String, PostgresAddress> servers = new LinkedHashMap<>();
            servers.put(ServingContext.PORT, context.stele());
            context.postgres()
                    .ifPresent(peer -> servers.put(ServingContext.POSTGRESQL, peer.address()));
            load(pgbench, servers);
            measure(pgbench, servers);
        }
        samples.report(context.metrics());
        targets();
    }

    private void load(Pgbench pgbench, Map<String, PostgresAddress> servers)
            throws IOException, InterruptedException, SQLException {
        try (FlightClient flight = Clients.flight(context.run())) {
            ServingTables.createPgbench(
                    flight, context.stele(), context.postgres(), context.size().branches());
            Path file = accounts(1, accountCount());
            try {
                for (Map.Entry<String, PostgresAddress> server : servers.entrySet()) {
                    copy(pgbench, server.getKey(), server.getValue(), file);
                }
            } finally {
                Files.deleteIfExists(file);
            }
            ServingTables.flush(flight, ServingTables.PGBENCH_SCHEMA, ACCOUNTS);
        }
        if (context.postgres().isPresent()) {
            context.postgres().orElseThrow().execute("VACUUM ANALYZE " + ACCOUNTS);
            context.postgres().orElseThrow().execute("CHECKPOINT");
        }
    }

    /** In one statement; by parts where the server refuses that. */
    private void copy(Pgbench pgbench, String server, PostgresAddress address, Path file)
            throws IOException, InterruptedException {
        try {
            double seconds = pgbench.copySeconds(address, ACCOUNTS, file);
            samples.add(copyName(server), accountCount() / seconds);
        } catch (IOException refused) {
            System.out.println("COPY in one statement: " + refused.getMessage());
            double seconds = 0;
            for (long first = 1; first <= accountCount(); first += COPY_PART) {
                Path part = accounts(first, Math.min(first + COPY_PART - 1, accountCount()));
                try {
                    seconds += pgbench.copySeconds(address, ACCOUNTS, part);
                } finally {
                    Files.deleteIfExists(part);
                }
            }
            samples.add(copyPartsName(server), accountCount() / seconds);
        }
    }

    private static String copyName(String server) {
        return "COPY FROM, %s: rows/s".formatted(server);
    }

    private static String copyPartsName(String server) {
        return "COPY FROM in statements of %,d rows, %s: rows/s".formatted(COPY_PART, server);
    }

    private long accountCount() {
        return (long) context.size().branches() * ACCOUNTS_OF_BRANCH;
    }

    /** Writes the rows in the order of their keys, as pgbench's own load does. */
    private Path accounts(long first, long last) throws IOException {
        Path file = context.folder().resolve("accounts-%d-%d.txt".formatted(first, last));
        SplittableRandom random = new SplittableRandom(28);
        try (Writer writer = Files.newBufferedWriter(file)) {
            for (long aid = first; aid <= last; aid++) {
                writer.write("%d\t%d\t0\t".formatted(aid, (aid - 1) / ACCOUNTS_OF_BRANCH + 1));
                for (int i = 0; i < FILLER; i++) {
                    writer.write('a' + random.nextInt(26));
                }
                writer.write('\n');
            }
        }
        return file;
    }

    private void measure(Pgbench pgbench, Map<String, PostgresAddress> servers)
            throws IOException, InterruptedException {
        List<String> order = new ArrayList<>(servers.keySet());
        for (int round = 0; round < context.size().rounds(); round++) {
            Collections.rotate(order, 1);
            for (Map.Entry<String, String> script : SCRIPTS.entrySet()) {
                for (int clients : context.size().clients()) {
                    for (String server : order) {
                        samples.add(
                                name(script.getKey(), clients, server),
                                pgbench.run(
                                        requireNonNull(servers.get(server)),
                                        List.of(script.getValue()),
                                        accountCount(),
                                        clients,
                                        context.size().seconds()));
                    }
                }
            }
        }
    }

    private static String name(String script, int clients, String server) {
        return "%s, %d clients, %s: tps".formatted(script, clients, server);
    }

    private void targets() {
        context.atLeast(
                "pgbench -S, 32 clients, prepared: times PostgreSQL", 1.3, ratio("pgbench -S"));
        String copy = "COPY FROM of %,d rows: times PostgreSQL".formatted(accountCount());
        Optional<Double> parts = context.measured(copyPartsName(ServingContext.PORT));
        if (parts.isPresent()) {
            context.atLeast(copy + " (one statement is refused)", 1.5, Optional.of(0.0));
            context.atLeast(
                    copy + ", whose rows come in one statement, Stele's by the million",
                    1.5,
                    context.ratio(
                            copyPartsName(ServingContext.PORT),
                            copyName(ServingContext.POSTGRESQL)));
        } else {
            context.atLeast(
                    copy,
                    1.5,
                    context.ratio(
                            copyName(ServingContext.PORT), copyName(ServingContext.POSTGRESQL)));
        }
        ratio("pgbench -N")
                .ifPresent(
                        ratio ->
                                context.metrics()
                                        .put("pgbench -N, 32 clients: times PostgreSQL", ratio));
    }

    private Optional<Double> ratio(String script) {
        return context.ratio(
                name(script, ServingSize.CLIENTS, ServingContext.PORT),
                name(script, ServingSize.CLIENTS, ServingContext.POSTGRESQL));
    }
}
