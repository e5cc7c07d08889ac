package io.stele.sidecar.postgresql.run;

import io.stele.protocol.row.BinaryRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rows of keys, in their order, without those that are absent. They are read in parts, as there
 * is room for them.
 */
final class KeyedRows implements RowSource {
    private final Lookups lookups;
    private final RowBuilder builder;
    private final List<byte[]> keys;
    private final Optional<RowTransaction> transaction;
    private final Client client;
    private final BinaryRow view;
    private int nextKey; // the first that is not looked up
    private List<Optional<byte[]>> rows = List.of();
    private int nextRow;
    private Lookups.@Nullable Found found;

    KeyedRows(
            Lookups lookups,
            RowBuilder builder,
            List<byte[]> keys,
            Optional<RowTransaction> transaction,
            Client client) {
        this.lookups = lookups;
        this.builder = builder;
        this.keys = keys;
        this.transaction = transaction;
        this.client = client;
        this.view = new BinaryRow(builder.layout());
    }

    @Override
    public boolean next() {
        while (true) {
            while (nextRow < rows.size()) {
                Optional<byte[]> row = rows.get(nextRow++);
                if (row.isPresent()) {
                    view.wrap(row.get());
                    return true;
                }
            }
            close();
            if (nextKey == keys.size()) {
                return false;
            }
            client.cancellation().check();
            read();
        }
    }

    private void read() {
        List<byte[]> asked = keys.subList(nextKey, keys.size());
        if (transaction.isEmpty()) {
            Lookups.Found present = lookups.find(builder.table(), asked, Optional.empty(), client);
            found = present;
            rows = present.rows();
            nextKey += rows.size();
            nextRow = 0;
            return;
        }
        RowTransaction own = transaction.get();
        List<Optional<byte[]>> known = new ArrayList<>();
        while (known.size() < asked.size()) {
            Optional<Optional<byte[]>> pending =
                    own.pending(builder.table(), asked.get(known.size()));
            if (pending.isEmpty()) {
                break;
            }
            known.add(pending.get());
        }
        if (known.isEmpty()) {
            int count = 1; // as many as this transaction has not changed
            while (count < asked.size()
                    && own.pending(builder.table(), asked.get(count)).isEmpty()) {
                count++;
            }
            Lookups.Found past =
                    lookups.find(
                            builder.table(),
                            asked.subList(0, count),
                            Optional.of(own.snapshot().lsn()),
                            client);
            found = past;
            known = past.rows();
        }
        rows = known;
        nextKey += rows.size();
        nextRow = 0;
    }

    @Override
    public BinaryRow row() {
        return view;
    }

    @Override
    public void close() {
        Lookups.Found held = found;
        found = null;
        rows = List.of();
        nextRow = 0;
        if (held != null) {
            held.close();
        }
    }
}
