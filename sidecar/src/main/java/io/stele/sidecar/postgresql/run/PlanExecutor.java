package io.stele.sidecar.postgresql.run;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.schema.TableSchema;
import io.stele.sidecar.access.AccessControl;
import io.stele.sidecar.access.AccessDeniedException;
import io.stele.sidecar.access.Privilege;
import io.stele.sidecar.engine.EngineService;
import io.stele.sidecar.engine.ReplyBudget;
import io.stele.sidecar.metrics.IngestMetrics;
import io.stele.sidecar.metrics.ReadMetrics;
import io.stele.sidecar.postgresql.plan.Access;
import io.stele.sidecar.postgresql.plan.Computation;
import io.stele.sidecar.postgresql.plan.FixedPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.DeletePlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.InsertPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.SelectPlan;
import io.stele.sidecar.postgresql.plan.FixedPlan.UpdatePlan;
import io.stele.sidecar.postgresql.plan.Scope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The executor of fixed plans on the engine, for PostgreSQL and Flight SQL. A change outside a
 * transaction block that fits into one batch of one shard is written directly. Any other change is
 * a separate transaction, which is repeated if another writer was faster. Blocks; for use on
 * virtual threads. Thread-safe.
 */
public final class PlanExecutor {
    private static final int MAX_ATTEMPTS = 50;

    private final EngineService engine;
    private final AccessControl access;
    private final RowFinder finder;
    private final DirectWrites direct;
    private final TransactionalWrites transactional;
    private final LongSupplier nanoTime;
    private final KeyLocks locks = new KeyLocks();

    public PlanExecutor(
            EngineService engine,
            AccessControl access,
            ReplyBudget replies,
            ReadMetrics readMetrics,
            IngestMetrics ingestMetrics,
            LongSupplier nanoTime) {
        this.engine = requireNonNull(engine, "engine is null");
        this.access = requireNonNull(access, "access is null");
        this.nanoTime = requireNonNull(nanoTime, "nanoTime is null");
        this.finder =
                new RowFinder(
                        engine,
                        new Lookups(engine, replies, readMetrics),
                        new KeyPages(engine, replies, readMetrics));
        this.direct = new DirectWrites(engine, ingestMetrics, nanoTime);
        this.transactional = new TransactionalWrites(finder);
    }

    /** Begins the transaction of a block; its snapshot is of now. */
    public RowTransaction begin(Client client) {
        return RowTransaction.begin(engine.engine(), client, nanoTime);
    }

    /**
     * The rows of a SELECT.
     *
     * @param transaction of the block that the client is in
     * @throws AccessDeniedException if the client's user may not read the table
     * @throws StalePlanException also while the rows are read
     */
    public PlanRows select(
            SelectPlan plan, Scope scope, Optional<RowTransaction> transaction, Client client) {
        checkAccess(plan, client);
        RowBuilder builder = new RowBuilder(plan.table());
        Selection.Cut cut = Selection.Cut.of(plan, scope);
        RowSource rows =
                finder.open(
                        plan.rows().access(),
                        cut.wantedRows(plan),
                        builder,
                        scope,
                        transaction,
                        client);
        try {
            return new Selection(plan, cut, rows, builder, scope);
        } catch (RuntimeException | Error e) {
            try (rows) {
                throw e;
            } catch (IOException closing) {
                e.addSuppressed(closing);
                throw e;
            }
        }
    }

    /**
     * Executes INSERT, UPDATE or DELETE.
     *
     * @param transaction of the block that the client is in; empty: the statement commits
     * @throws AccessDeniedException if the client's user lacks a privilege of the plan
     */
    public Changes change(
            FixedPlan plan, Scope scope, Optional<RowTransaction> transaction, Client client)
            throws IOException {
        checkAccess(plan, client);
        RowBuilder builder = new RowBuilder(plan.table());
        List<byte[]> rows =
                plan instanceof InsertPlan insert ? rows(insert, builder, scope) : List.of();
        if (transaction.isPresent()) {
            return change(plan, builder, rows, scope, transaction.get(), client);
        }
        Optional<List<byte[]>> keys = keys(plan, builder, rows, scope);
        Optional<Changes> direct = changeDirectly(plan, builder, rows, keys, scope);
        if (direct.isPresent()) {
            return direct.get();
        }
        try (KeyLocks.Held held = locks.lock(plan.table().id(), keys.orElse(List.of()))) {
            return repeated(client, own -> change(plan, builder, rows, scope, own, client));
        }
    }

    /** The keys of the rows that a statement changes, where it lists them. */
    private static Optional<List<byte[]>> keys(
            FixedPlan plan, RowBuilder builder, List<byte[]> rows, Scope scope) {
        return switch (plan) {
            case InsertPlan ignored ->
                    Optional.of(
                            rows.stream().map(row -> builder.keyOf(builder.view(row))).toList());
            case UpdatePlan update -> keys(update.rows().access(), builder, scope);
            case DeletePlan delete -> keys(delete.rows().access(), builder, scope);
            case SelectPlan select -> throw new IllegalArgumentException(select.toString());
        };
    }

    private static Optional<List<byte[]>> keys(Access access, RowBuilder builder, Scope scope) {
        return switch (access) {
            case Access.ByKey byKey -> Optional.of(KeyList.of(byKey, builder, scope));
            case Access.ByKeyList byKeys -> Optional.of(KeyList.of(byKeys, builder, scope));
            case Access.ByRange ignored -> Optional.empty();
        };
    }

    /** A step of a transaction. */
    public interface Step<T> {
        T run(RowTransaction transaction) throws IOException;
    }

    /**
     * Runs a step in a separate transaction and commits it; repeats this if another writer was
     * faster.
     */
    public <T> T repeated(Client client, Step<T> step) throws IOException {
        for (int attempt = 1; ; attempt++) {
            client.cancellation().check();
            try (RowTransaction own = begin(client)) {
                T result = step.run(own);
                own.commit();
                return result;
            } catch (SteleException conflict) {
                if (conflict.code() != ErrorCode.TRANSACTION_CONFLICT
                        || attempt == MAX_ATTEMPTS
                        || !BusyRetry.pause(attempt)) {
                    throw conflict;
                }
            }
        }
    }

    private Optional<Changes> changeDirectly(
            FixedPlan plan,
            RowBuilder builder,
            List<byte[]> rows,
            Optional<List<byte[]>> keys,
            Scope scope)
            throws IOException {
        return switch (plan) {
            case InsertPlan insert -> direct.tryInsert(insert, builder, rows, scope);
            case UpdatePlan update when keys.isPresent() ->
                    direct.tryUpdate(update, builder, keys.get(), scope);
            default -> Optional.empty();
        };
    }

    private Changes change(
            FixedPlan plan,
            RowBuilder builder,
            List<byte[]> rows,
            Scope scope,
            RowTransaction transaction,
            Client client)
            throws IOException {
        List<byte[]> changed =
                switch (plan) {
                    case InsertPlan insert ->
                            transactional.insert(insert, builder, rows, scope, transaction, client);
                    case UpdatePlan update ->
                            transactional.update(update, builder, scope, transaction, client);
                    case DeletePlan delete ->
                            transactional.delete(delete, builder, scope, transaction, client);
                    case SelectPlan select -> throw new IllegalArgumentException(select.toString());
                };
        return new Changes(changed.size(), ReturnedRows.of(plan, builder, changed, scope));
    }

    /**
     * Inserts rows of COPY.
     *
     * @param plan of one row of parameters
     * @param rows the values of the parameters of each row
     */
    public long copy(
            InsertPlan plan,
            List<List<@Nullable Object>> rows,
            Scope.Session session,
            RowTransaction transaction,
            Client client)
            throws IOException {
        checkAccess(plan, client);
        RowBuilder builder = new RowBuilder(plan.table());
        List<byte[]> encoded = new ArrayList<>(rows.size());
        for (List<@Nullable Object> row : rows) {
            encoded.addAll(rows(plan, builder, new Scope(row, session)));
        }
        Scope none = new Scope(List.of(), session);
        return transactional.insert(plan, builder, encoded, none, transaction, client).size();
    }

    /**
     * Checks that the client's user has the privileges of a plan.
     *
     * @throws AccessDeniedException if it lacks one
     */
    public void checkAccess(FixedPlan plan, Client client) {
        checkAccess(plan.table(), plan.privileges(), client);
    }

    private void checkAccess(TableSchema table, Set<Privilege> required, Client client) {
        access.check(client.user(), table.schemaName(), table.tableName(), required);
    }

    /**
     * Begins an insertion of many rows that commits by itself.
     *
     * @throws AccessDeniedException if the client's user may not insert
     */
    public StagedInsert beginInsert(TableSchema table, Client client) {
        checkAccess(table, Set.of(Privilege.INSERT), client);
        return new StagedInsert(engine.engine(), table, client.cancellation(), nanoTime);
    }

    static List<byte[]> rows(InsertPlan plan, RowBuilder builder, Scope scope) {
        List<byte[]> rows = new ArrayList<>(plan.rows().size());
        List<@Nullable Object> values = new ArrayList<>();
        for (List<Computation> computations : plan.rows()) {
            values.clear();
            for (int column = 0; column < computations.size(); column++) {
                values.add(builder.columnValue(column, computations.get(column), scope));
            }
            rows.add(builder.row(values));
        }
        return rows;
    }

    /** Whether a plan's table has not changed since planning. */
    public boolean isCurrent(FixedPlan plan) {
        TableSchema table = plan.table();
        return engine.engine()
                .catalog()
                .current()
                .findTable(table.schemaName(), table.tableName())
                .filter(present -> KeyList.isSame(present, table))
                .isPresent();
    }
}
