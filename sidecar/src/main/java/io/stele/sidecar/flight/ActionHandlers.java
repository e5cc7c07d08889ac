package io.stele.sidecar.flight;

import com.google.common.collect.ImmutableMap;
import com.google.inject.Inject;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.api.ApiJson;
import io.stele.protocol.api.OpenTableReply;
import io.stele.protocol.api.OpenTableRequest;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.FragmentResults;
import java.util.Map;

/** The actions of the sidecar by their names, for all of its servers. Thread safe. */
public final class ActionHandlers {
    private final ScanActions scans;
    private final Map<String, ActionHandler> repeatable;
    private final Map<String, ActionHandler> handlers;

    @Inject
    public ActionHandlers(EngineService engine, FragmentResults fragments) {
        this.scans = new ScanActions(engine);
        TransactionActions transactions = new TransactionActions(engine);
        Map<String, ActionHandler> reads =
                ImmutableMap.<String, ActionHandler>builder()
                        .putAll(scans.handlers())
                        .putAll(new VersionActions(engine).handlers())
                        .putAll(new FileMetadataActions(engine).handlers())
                        .buildOrThrow();
        this.repeatable =
                ImmutableMap.<String, ActionHandler>builder()
                        .putAll(reads)
                        .putAll(transactions.repeatable())
                        .buildOrThrow();
        this.handlers =
                ImmutableMap.<String, ActionHandler>builder()
                        .putAll(reads)
                        .putAll(new CatalogActions(engine).handlers())
                        .putAll(new ViewActions(engine).handlers())
                        .putAll(transactions.handlers())
                        .putAll(new MaintenanceActions(engine, fragments).handlers())
                        .buildOrThrow();
    }

    Map<String, ActionHandler> all() {
        return handlers;
    }

    /** The action of a name; INVALID_ARGUMENT where there is none. */
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
     * Runs an action that may be repeated: one that opens or plans a read, or that begins or
     * commits a transaction; may block.
     *
     * @param request JSON
     * @return JSON
     * @throws SteleException INVALID_ARGUMENT: the action may not be repeated; or the action's own
     *     failure
     */
    public byte[] repeat(String type, byte[] request) {
        ActionHandler handler = find(repeatable, type);
        try {
            return ApiJson.write(handler.run().apply(request));
        } catch (IllegalArgumentException wrong) {
            throw new SteleException(
                    ErrorCode.INVALID_ARGUMENT, String.valueOf(wrong.getMessage()), wrong);
        }
    }

    /**
     * The action of that name, for a caller with a decoded request; may block.
     *
     * @throws SteleException the failure of the action
     */
    public OpenTableReply openTable(OpenTableRequest request) {
        return scans.openTable(request);
    }
}
