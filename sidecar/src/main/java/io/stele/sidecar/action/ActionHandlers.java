package io.stele.sidecar.action;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.Action;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.snapshot.OpenTableReply;
import io.stele.protocol.api.snapshot.OpenTableRequest;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.engine.SidecarAggregateCache;
import io.stele.sidecar.statement.StatementStatistics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The registry of the sidecar's actions by name, which the Flight server and the framed server run.
 * Thread-safe.
 */
public final class ActionHandlers {
    private final ActionResults results;
    private final ScanHandlers scans;
    private final Map<String, ActionHandler> repeatable;
    private final Map<String, ActionHandler> handlers;

    @Inject
    public ActionHandlers(
            EngineService engine,
            SidecarAggregateCache aggregateCache,
            StatementStatistics statements,
            ReplyBudget replies) {
        this.results = new ActionResults(replies);
        this.scans = new ScanHandlers(engine, aggregateCache.cache());
        this.handlers =
                Stream.of(
                                scans.handlers(),
                                new VersionHandlers(engine).handlers(),
                                new FileMetadataHandlers(engine).handlers(),
                                new CatalogHandlers(engine).handlers(),
                                new ViewHandlers(engine).handlers(),
                                new TransactionHandlers(engine).handlers(),
                                new MaintenanceHandlers(engine, aggregateCache, statements)
                                        .handlers())
                        .flatMap(List::stream)
                        .collect(
                                ImmutableMap.toImmutableMap(
                                        handler -> handler.action().name(), handler -> handler));
        this.repeatable =
                ImmutableMap.copyOf(
                        Maps.filterValues(
                                handlers,
                                handler -> handler.action().framing() != Action.Framing.NONE));
    }

    public Map<String, ActionHandler> all() {
        return handlers;
    }

    /** The action of a name; throws INVALID_ARGUMENT if there is none. */
    ActionHandler find(String type) {
        return find(handlers, type);
    }

    private static ActionHandler find(Map<String, ActionHandler> among, String type) {
        ActionHandler handler = among.get(type);
        if (handler == null) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Expected an action of "
                            + String.join(", ", among.keySet())
                            + "; found '"
                            + type
                            + "'");
        }
        return handler;
    }

    /**
     * Runs an action of the framed protocol ({@link Action.Framing}), which may be repeated; may
     * block, also for room for its result.
     *
     * @param request JSON
     * @param isGone whether nobody waits for the result any more
     * @param maxBytes of the result
     * @return JSON; empty if the caller had gone before the action began
     * @throws SteleException INVALID_ARGUMENT: the action may not be repeated, or its result is
     *     larger; BUSY: there is no room for it; or the action's own failure
     */
    public Optional<ActionReply> repeat(
            String type, byte[] request, BooleanSupplier isGone, int maxBytes) {
        ActionHandler handler = find(repeatable, type);
        try {
            return results.run(type, handler.reader().apply(request), isGone, 1, maxBytes);
        } catch (IllegalArgumentException wrong) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, String.valueOf(wrong.getMessage()), wrong);
        }
    }

    /** Runs any action, as {@link #repeat}. */
    public Optional<ActionReply> run(
            String type, byte[] request, BooleanSupplier isGone, int copies, int maxBytes) {
        return results.run(type, find(type).reader().apply(request), isGone, copies, maxBytes);
    }

    /** The JSON of a small reply of an action; may block, for room for it. */
    public ActionReply reply(Supplier<Object> message) {
        return results.run(0, () -> ApiJson.write(message.get()));
    }

    /**
     * Runs the action that opens a table, for a caller with a decoded request; may block, also for
     * room for its result.
     *
     * @param encoder of the result
     * @throws SteleException the failure of the action
     */
    public ActionReply openTable(
            OpenTableRequest request, Function<OpenTableReply, byte[]> encoder) {
        return results.run(
                ScanHandlers.resultBytes(request), () -> encoder.apply(scans.openTable(request)));
    }
}
