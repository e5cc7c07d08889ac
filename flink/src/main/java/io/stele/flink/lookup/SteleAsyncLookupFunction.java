package io.stele.flink.lookup;

import static java.util.Objects.requireNonNull;

import io.stele.client.SteleClient;
import io.stele.client.SteleTable;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.AsyncLookupFunction;
import org.apache.flink.table.functions.FunctionContext;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous lookup function by primary key. Concurrent lookups share one request to each
 * sidecar. Owns a client from {@link #open} to {@link #close}. Called on the task's thread;
 * completes on threads of connections.
 */
public final class SteleAsyncLookupFunction extends AsyncLookupFunction {
    private static final long serialVersionUID = 1;

    private final LookupTarget target;
    private transient @Nullable SteleClient client;
    private transient @Nullable SteleTable table;
    private transient volatile @Nullable LookupBinding binding;

    public SteleAsyncLookupFunction(LookupTarget target) {
        this.target = requireNonNull(target, "target is null");
    }

    @Override
    public void open(FunctionContext context) {
        SteleClient opened = target.table().connection().open("flink-lookup");
        client = opened;
        table = target.table().open(opened);
        binding = new LookupBinding(target, table.schema());
    }

    @Override
    public CompletableFuture<Collection<RowData>> asyncLookup(RowData keyRow) {
        return lookup(keyRow, 0);
    }

    private CompletableFuture<Collection<RowData>> lookup(RowData keyRow, int attempt) {
        SteleTable present = requireNonNull(table, "the function is open");
        LookupBinding bound = binding(present);
        @Nullable Object[] key = bound.key(keyRow);
        if (key == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        return present.multiGetAsync(List.<@Nullable Object[]>of(key))
                .thenApply(
                        found -> {
                            if (present.schema() != bound.schema()) {
                                throw stale(bound);
                            }
                            return bound.rows(keyRow, found.get(0));
                        })
                .exceptionallyCompose(
                        thrown ->
                                attempt < target.maxRetries() && mayPass(thrown)
                                        ? lookup(keyRow, attempt + 1)
                                        : CompletableFuture.failedFuture(thrown));
    }

    /** The conversions for the table version that the client has loaded. */
    private LookupBinding binding(SteleTable present) {
        LookupBinding bound = requireNonNull(binding, "the function is open");
        if (present.schema() != bound.schema()) {
            bound = new LookupBinding(target, present.schema());
            binding = bound;
        }
        return bound;
    }

    private static SteleException stale(LookupBinding bound) {
        return new SteleException(
                ErrorCode.STALE_TABLE,
                "Table %s changed during a lookup".formatted(bound.schema().qualifiedName()));
    }

    /** Whether a retry may help. The client has already retried; this is for longer failures. */
    static boolean mayPass(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null
                        ? thrown.getCause()
                        : thrown;
        return cause instanceof SteleException failed
                && (failed.code().retryable() || failed.code() == ErrorCode.STALE_TABLE);
    }

    @Override
    public void close() {
        SteleClient opened = client;
        if (opened != null) {
            opened.close();
        }
    }
}
