package io.stele.benchmarks.serving;

import static java.util.Objects.requireNonNull;

import io.stele.benchmarks.ingest.UserTable;
import io.stele.benchmarks.servers.Clients;
import io.stele.benchmarks.servers.Run;
import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.client.TableWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The store of the serving benchmark that is Stele, through its Java client and the framed
 * protocol. Each session has a client with connections of its own, or all sessions share one
 * client, which then batches their requests.
 */
final class FramedStore implements ServingStore {
    private final Run run;
    private final @Nullable SteleClient shared;

    private FramedStore(Run run, @Nullable SteleClient shared) {
        this.run = requireNonNull(run, "run is null");
        this.shared = shared;
    }

    static FramedStore ofClients(Run run) {
        return new FramedStore(run, null);
    }

    static FramedStore ofOneClient(Run run) {
        return new FramedStore(run, Clients.stele(run));
    }

    @Override
    public String name() {
        return shared == null ? "Stele framed" : "Stele framed, one client shared";
    }

    @Override
    public Session open() {
        return shared == null
                ? new FramedSession(Clients.stele(run), true)
                : new FramedSession(shared, false);
    }

    @Override
    public void close() {
        if (shared != null) {
            shared.close();
        }
    }

    private static final class FramedSession implements Session {
        private final SteleClient client;
        private final boolean ownsClient;
        private final SteleTable table;
        private @Nullable TableWriter writer;

        FramedSession(SteleClient client, boolean ownsClient) {
            this.client = client;
            this.ownsClient = ownsClient;
            this.table = client.table(UserTable.SCHEMA, ServingRows.TABLE);
        }

        @Override
        public void get(long id) {
            List<@Nullable Object> row = table.get(id).orElseThrow();
            ServingStore.checkFound(ServingRows.COLUMNS, row.size());
        }

        @Override
        public void multiGet(long[] ids) {
            List<@Nullable Object[]> keys = new ArrayList<>(ids.length);
            for (long id : ids) {
                keys.add(new Object[] {id});
            }
            List<Optional<List<@Nullable Object>>> rows = table.multiGet(keys);
            ServingStore.checkFound(
                    ids.length, (int) rows.stream().filter(Optional::isPresent).count());
        }

        @Override
        public void upsert(long id) {
            if (writer == null) {
                writer = client.writer(UserTable.SCHEMA, ServingRows.TABLE);
            }
            writer.upsert(ServingRows.values(id)).join();
        }

        @Override
        public void close() {
            if (writer != null) {
                writer.close();
            }
            if (ownsClient) {
                client.close();
            }
        }
    }
}
