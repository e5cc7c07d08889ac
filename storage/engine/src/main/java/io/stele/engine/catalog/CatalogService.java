package io.stele.engine.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.engine.manifest.NewerFormatException;
import io.stele.objectstore.encryption.OtherKeysException;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.TableOption;
import io.stele.protocol.schema.TableOptions;
import io.stele.protocol.schema.TableSchema;
import io.stele.protocol.schema.ViewSchema;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The service that owns schemas and tables: every statement becomes one new catalog version,
 * durable in the store when the call returns.
 *
 * <p>Invariant: {@link #current()} is durable and never goes back. Invariant: a statement that
 * fails has changed nothing, except that after STORE_FAILED it is <em>unsettled</em>: it may be
 * durable. Then creating its version is repeated ({@link #settle}) until the store answers which
 * process created it. Until then, other statements and writes to the tables that it concerns are
 * refused.
 *
 * <p>Invariant: of several engines that open one warehouse, only the one with the highest epoch
 * creates versions, once it has created one ({@link #own}).
 *
 * <p>Thread-safe: statements run one at a time under one lock, which is held while the store writes
 * (DDL is rare, and its order is the order of versions); readers never wait.
 */
public final class CatalogService {
    /** How often a statement is tried when other processes create its version first. */
    private static final int MAX_LOST = 5;

    /** Shorter than the time for which clients wait for an answer. */
    private static final long MAX_WAIT_MILLIS = 10_000;

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long MAX_PAUSE_MILLIS = 2_000;

    /** As many attempts as fit into the wait if the store refuses at once. */
    private static final int MAX_ATTEMPTS = 9;

    private static final int OWNERSHIP_ATTEMPTS =
            100; // each failed attempt is a statement of the previous owner

    /** The statement that the present thread runs, if its client assigned an id. */
    private static final ScopedValue<Attempt> ATTEMPT = ScopedValue.newInstance();

    private final CatalogStore store;
    private final long retentionMillis;
    private final Supplier<Lsn> clock;
    private final LongConsumer sleepMillis;
    private final List<CatalogListener> listeners = new CopyOnWriteArrayList<>();
    private final Consumer<Throwable> failures;
    private final ReentrantLock statements = new ReentrantLock();
    private volatile Catalog current;
    private volatile long epoch; // 0 until the catalog is owned
    private volatile @Nullable Unsettled unsettled; // written under the lock
    private volatile long ownedBy; // the highest epoch found in the store
    private volatile Optional<CatalogDamage> damage;

    private CatalogService(
            CatalogStore store,
            long retentionMillis,
            Supplier<Lsn> clock,
            LongConsumer sleepMillis,
            Consumer<Throwable> failures,
            Catalog current,
            Optional<CatalogDamage> damage) {
        this.failures = failures;
        this.damage = damage;
        this.store = store;
        this.retentionMillis = retentionMillis;
        this.clock = clock;
        this.sleepMillis = sleepMillis;
        this.current = current;
    }

    /**
     * Opens the newest stored version; STORE_FAILED if the store cannot be read. If the version is
     * damaged, the catalog is empty and all statements are refused ({@link #damage}).
     *
     * @param retentionMillis the retention of tables without an option of their own
     * @param clock returns the present LSN
     * @param sleepMillis blocks the calling thread between requests to a store that does not answer
     * @param failures receives the exceptions of listeners
     */
    public static CatalogService open(
            CatalogStore store,
            long retentionMillis,
            Supplier<Lsn> clock,
            LongConsumer sleepMillis,
            Consumer<Throwable> failures) {
        requireNonNull(store, "store is null");
        requireNonNull(clock, "clock is null");
        requireNonNull(sleepMillis, "sleepMillis is null");
        requireNonNull(failures, "failures is null");
        try {
            return new CatalogService(
                    store,
                    retentionMillis,
                    clock,
                    sleepMillis,
                    failures,
                    store.loadLatest(),
                    Optional.empty());
        } catch (IOException e) {
            throw failed("read", e);
        } catch (SteleException unreadable) {
            return new CatalogService(
                    store,
                    retentionMillis,
                    clock,
                    sleepMillis,
                    failures,
                    Catalog.empty(),
                    Optional.of(damageOrThrow(store, unreadable)));
        }
    }

    /**
     * The damage of the newest version. Missing or wrong encryption keys are no damage of the data:
     * then this throws and the start fails, so that they can be corrected.
     */
    private static CatalogDamage damageOrThrow(CatalogStore store, SteleException unreadable) {
        try {
            if (unreadable.code() != ErrorCode.CORRUPT_DATA
                    || unreadable.getCause() instanceof OtherKeysException keys
                            && !(store.hasReadableBefore() && keys.mayBeDamage())) {
                throw unreadable;
            }
            return new CatalogDamage(store.newestPath(), unreadable);
        } catch (IOException e) {
            throw failed("read", e);
        }
    }

    /** Loads the newest stored version again; only before the catalog is owned. */
    public void refresh() {
        try {
            current = store.loadLatest();
        } catch (IOException e) {
            throw failed("read", e);
        } catch (SteleException unreadable) {
            damage = Optional.of(damageOrThrow(store, unreadable));
            current = Catalog.empty();
        }
    }

    /**
     * Marks the catalog as damaged, since the stored version is not the newest that ever existed;
     * only before the catalog is owned.
     */
    public void refuse(SteleException reason) {
        damage = Optional.of(new CatalogDamage(store.path(current.version()), reason));
        current = Catalog.empty();
    }

    /** The damage that prevents the catalog from being loaded; any thread. */
    public Optional<CatalogDamage> damage() {
        return damage;
    }

    /**
     * Checks that the damaged version can be given up, so that an earlier one is used: it is still
     * damaged, and an earlier version can be read. Blocks on the store.
     *
     * @throws SteleException INVALID_ARGUMENT if not
     */
    public void checkCanBeGivenUp(String object) throws IOException {
        Optional<SteleException> unreadable = Optional.empty();
        try {
            store.loadLatest();
        } catch (SteleException stillDamaged) {
            unreadable = Optional.of(stillDamaged);
        }
        if (unreadable.isEmpty() || !store.newestPath().equals(object)) {
            throw cannotBeGivenUp(
                    object,
                    "to be the newest catalog version, and damaged",
                    "that it can be read; if it is not the newest there was, put that back; restart"
                            + " the sidecar");
        }
        if (unreadable.get().getCause() instanceof NewerFormatException) {
            throw cannotBeGivenUp(
                    object,
                    "to be damaged",
                    "that it is of a later release, which can read it; start that release");
        }
        if (!store.hasReadableBefore()) {
            throw cannotBeGivenUp(
                    object,
                    "a version before it that can be read",
                    "none, so that all tables would be lost; put the object back");
        }
    }

    private static SteleException cannotBeGivenUp(String object, String expected, String found) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Expected of %s %s, found %s".formatted(object, expected, found));
    }

    private void checkKnown() {
        Optional<CatalogDamage> found = damage;
        if (found.isPresent()) {
            throw found.get().refusal();
        }
    }

    /**
     * Takes the catalog over by creating its next version with this engine's epoch. From then on,
     * statements of an earlier owner fail, so that only this engine changes {@link #current}. To be
     * called before listeners are added; does nothing if the catalog is damaged.
     *
     * @param newEpoch of this engine
     * @param givenUp versions that were given up; they are not created again, and ids that they may
     *     have assigned are not reused
     * @throws SteleException UNAVAILABLE if an engine that was opened later owns the catalog;
     *     STORE_FAILED
     */
    public void own(long newEpoch, Collection<Long> givenUp) {
        statements.lock();
        try {
            if (damage.isPresent()) {
                return; // the stored versions stay unchanged, for a repair
            }
            epoch = newEpoch;
            for (int attempt = 0; attempt < OWNERSHIP_ATTEMPTS; attempt++) {
                if (current.epoch() >= epoch) {
                    throw takenOver(epoch, current.epoch());
                }
                CatalogEdit edit = new CatalogEdit(current, clock.get(), epoch, retentionMillis);
                edit.passOver(givenUp);
                Catalog owned = edit.build();
                if (store.create(owned)) {
                    current = owned;
                    return;
                }
                current = store.loadLatest();
            }
        } catch (IOException e) {
            throw failed("take over", e);
        } finally {
            statements.unlock();
        }
        throw new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected to own the catalog after %d attempts, found others changing it over and over"
                        .formatted(OWNERSHIP_ATTEMPTS));
    }

    /**
     * Skips table and group ids of log records that no catalog version has assigned, so that they
     * are not assigned to new tables.
     */
    public void leaveOut(long tableId, int tableGroupId) {
        Catalog base = current;
        if (tableId >= base.nextTableId() || base.isNewGroup(tableGroupId)) {
            change(
                    edit -> {
                        edit.leaveOut(tableId, tableGroupId);
                        return tableId;
                    });
        }
    }

    /**
     * The next table id as it will be after {@link #own}, above the id of every table that ever
     * existed.
     */
    public long nextTableId(Collection<Long> givenUp) {
        Catalog base = current;
        if (givenUp.stream().noneMatch(version -> version > base.version())) {
            return base.nextTableId();
        }
        CatalogEdit edit = new CatalogEdit(base, Lsn.MIN, 0, retentionMillis);
        edit.passOver(givenUp);
        return edit.nextTableId();
    }

    /** The newest durable catalog. */
    public Catalog current() {
        return current;
    }

    /** Adds a listener of every later change; it is not notified of the present state. */
    public void addListener(CatalogListener listener) {
        listeners.add(requireNonNull(listener, "listener is null"));
    }

    /** Creates a schema; SCHEMA_ALREADY_EXISTS if there is one of that name. */
    public void createSchema(String name) {
        change(
                edit -> {
                    edit.createSchema(name);
                    return name;
                });
    }

    /**
     * Drops a schema, and with {@code cascade} all its tables.
     *
     * @throws SteleException SCHEMA_NOT_FOUND, or SCHEMA_NOT_EMPTY without cascade
     */
    public void dropSchema(String name, boolean cascade) {
        change(
                edit -> {
                    edit.dropSchema(name, cascade);
                    return name;
                });
    }

    /** Renames a schema; SCHEMA_NOT_FOUND or SCHEMA_ALREADY_EXISTS. */
    public void renameSchema(String from, String to) {
        change(
                edit -> {
                    edit.renameSchema(from, to);
                    return to;
                });
    }

    /**
     * As {@link #createTable}, for a public table that replaces a table of its name, if there is
     * one.
     */
    public TableSchema createOrReplaceTable(TableSchema definition, String tableGroupName) {
        requireNonNull(definition, "definition is null");
        requireNonNull(tableGroupName, "tableGroupName is null");
        return change(edit -> edit.createOrReplaceTable(definition, tableGroupName));
    }

    /**
     * Creates a view.
     *
     * @param definition name and definition; the revision and the storage table are assigned here
     * @param storage the table for the rows of a materialized view; empty for other views
     * @param tableGroupName the group of the storage table, as in {@link #createTable}
     * @param replace whether a view of the same name and kind is replaced
     * @throws SteleException SCHEMA_NOT_FOUND, TABLE_ALREADY_EXISTS, or INVALID_ARGUMENT naming the
     *     rule that is broken
     */
    public ViewSchema createView(
            ViewSchema definition,
            Optional<TableSchema> storage,
            String tableGroupName,
            boolean replace) {
        requireNonNull(definition, "definition is null");
        return change(edit -> edit.createView(definition, storage, tableGroupName, replace));
    }

    /** Drops a view, and the rows of a materialized view; TABLE_NOT_FOUND if there is none. */
    public void dropView(String schemaName, String viewName, boolean materialized) {
        change(
                edit -> {
                    edit.dropView(schemaName, viewName, materialized);
                    return viewName;
                });
    }

    /** Renames a view; TABLE_NOT_FOUND, SCHEMA_NOT_FOUND or TABLE_ALREADY_EXISTS. */
    public ViewSchema renameView(
            String schemaName,
            String viewName,
            boolean materialized,
            String newSchemaName,
            String newViewName) {
        return change(
                edit ->
                        edit.renameView(
                                schemaName, viewName, materialized, newSchemaName, newViewName));
    }

    /** Changes the definition of a view; STALE_TABLE unless it has this revision. */
    public ViewSchema setView(
            String schemaName,
            String viewName,
            boolean materialized,
            long revision,
            String definition) {
        return change(
                edit -> edit.setView(schemaName, viewName, materialized, revision, definition));
    }

    /**
     * Stores from which data the rows of a materialized view were computed; STALE_TABLE if the view
     * is dropped.
     */
    public ViewSchema setRefresh(TableId storageTable, String refresh) {
        return change(edit -> edit.setRefresh(storageTable, refresh));
    }

    /**
     * Creates a table.
     *
     * @param definition the table, whose id, schema version and table group are assigned here
     * @param tableGroupName the group of the table, which is created with the definition's shard
     *     count if it does not exist; empty for {@code default_<shard count>}
     * @return the table as created
     * @throws SteleException SCHEMA_NOT_FOUND, TABLE_ALREADY_EXISTS, or INVALID_ARGUMENT naming the
     *     rule that is broken
     */
    public TableSchema createTable(
            TableSchema definition, String tableGroupName, TableState state) {
        requireNonNull(definition, "definition is null");
        requireNonNull(tableGroupName, "tableGroupName is null");
        requireNonNull(state, "state is null");
        return change(edit -> edit.createTable(definition, tableGroupName, state));
    }

    /**
     * Makes a staged table public, unless an earlier attempt did. A commit repeats this call until
     * it succeeds; it waits for other statements, and makes one request to the store.
     *
     * @param committed the LSN of its rows
     * @throws SteleException TABLE_ALREADY_EXISTS if its name was taken meanwhile; STALE_TABLE if
     *     the table was dropped; STORE_FAILED or BUSY if it may succeed later
     */
    public void publishTable(TableId tableId, Lsn committed) {
        statements.lock();
        try {
            settleEarlier(); // which may be the previous attempt
            boolean wasPublic =
                    current.findTable(tableId)
                            .filter(entry -> !entry.state().isStaged()) // public or replaced
                            .isPresent();
            if (!wasPublic) {
                change(edit -> edit.publishTable(tableId, committed), 0);
            }
        } finally {
            statements.unlock();
        }
    }

    /** Drops a table, staged or public; STALE_TABLE if there is no table of the id. */
    public void dropTable(TableId tableId) {
        change(
                edit -> {
                    edit.dropTable(tableId);
                    return tableId;
                });
    }

    /**
     * Empties a table: it gets a new id, and the old one is retained for readers of the past.
     * Returns the table with its new id.
     */
    public TableSchema truncateTable(TableId tableId) {
        return change(edit -> edit.truncateTable(tableId));
    }

    /** Renames a table, possibly into another schema. Its id does not change. */
    public TableSchema renameTable(TableId tableId, String schemaName, String tableName) {
        return change(edit -> edit.renameTable(tableId, schemaName, tableName));
    }

    /** Sets or clears the comment of a table. */
    public TableSchema setTableComment(TableId tableId, Optional<String> comment) {
        return change(edit -> edit.setTableComment(tableId, comment));
    }

    /** Sets or clears the comment of a column; COLUMN_NOT_FOUND if the table has none of the id. */
    public TableSchema setColumnComment(TableId tableId, int columnId, Optional<String> comment) {
        return change(edit -> edit.setColumnComment(tableId, columnId, comment));
    }

    /**
     * Sets or removes the default value of a column; COLUMN_NOT_FOUND if the table has none of the
     * id.
     */
    public TableSchema setColumnDefault(
            TableId tableId, int columnId, Optional<String> defaultValue) {
        return change(edit -> edit.setColumnDefault(tableId, columnId, defaultValue));
    }

    /**
     * Changes a column of a table, or a field inside one. Files and rows stay as they are and are
     * read by the columns they were written with.
     *
     * @param schemaVersion the version the change was made for
     * @return the table under its next schema version
     * @throws SteleException STALE_TABLE if the table has another version, COLUMN_NOT_FOUND, or
     *     INVALID_ARGUMENT naming what is refused
     */
    public TableSchema alterTable(TableId tableId, int schemaVersion, ColumnChange change) {
        return change(edit -> edit.alterTable(tableId, schemaVersion, change));
    }

    /**
     * Sets some options of a table to their values in {@code values}; other options do not change.
     * An index that exists with the same name, columns and uniqueness stays unchanged. The ids of
     * new indexes are assigned here, and these are not ready.
     *
     * @throws SteleException STALE_TABLE, or INVALID_ARGUMENT naming the rule that is broken
     */
    public TableSchema setOptions(
            TableId tableId, Collection<TableOption> changed, TableOptions values) {
        return change(edit -> edit.setOptions(tableId, changed, values));
    }

    /**
     * Marks an index as ready, since it has the entries of all rows; STALE_TABLE if it is dropped.
     */
    public TableSchema setIndexReady(TableId tableId, int indexId) {
        return change(edit -> edit.setIndexReady(tableId, indexId));
    }

    /** Drops an index; STALE_TABLE if it is already dropped. */
    public TableSchema dropIndex(TableId tableId, int indexId) {
        return change(edit -> edit.dropIndex(tableId, indexId));
    }

    /**
     * Drops the tables of statements that never ended; to be called at a start only. Returns the
     * number of dropped tables.
     */
    public int dropStagedTables() {
        if (current.tables().stream().noneMatch(entry -> entry.state().isStaged())) {
            return 0;
        }
        return change(CatalogEdit::dropStagedTables);
    }

    /** Drops the given tables that were truncated or replaced; other tables are skipped. */
    public void dropReplacedTables(Collection<TableId> tableIds) {
        change(edit -> edit.dropReplacedTables(tableIds));
    }

    /**
     * Runs a statement that its client repeats under one id until it has an answer, and that takes
     * effect once. The catalog remembers ids for ten minutes, also over restarts and take-overs, at
     * most {@link CatalogEdit#MAX_STATEMENTS}.
     *
     * @param id of the statement
     * @param statement makes at most one change of this catalog, in the calling thread
     * @param repeated returns the result if the statement took effect earlier
     */
    public <T> T runOnce(UUID id, Supplier<T> statement, Function<CompletedStatement, T> repeated) {
        Optional<CompletedStatement> earlier = findCompleted(id);
        if (earlier.isPresent()) {
            return repeated.apply(earlier.get());
        }
        Attempt attempt = new Attempt(id);
        try {
            return ScopedValue.where(ATTEMPT, attempt).call(statement::get);
        } catch (SteleException refused) {
            if (attempt.tookEffect) {
                throw refused;
            }
            // An earlier attempt may have run at the same time, and dropped the table for example
            CompletedStatement meanwhile = findCompletedUnless(refused, id);
            return repeated.apply(meanwhile);
        }
    }

    private CompletedStatement findCompletedUnless(SteleException refused, UUID id) {
        Optional<CompletedStatement> found;
        try {
            found = findCompleted(id);
        } catch (SteleException unknown) {
            // A final refusal must not be returned while an earlier attempt may have taken effect
            SteleException thrown = refused.code().nothingIsChanged() ? unknown : refused;
            thrown.addSuppressed(thrown == refused ? unknown : refused);
            throw thrown;
        }
        return found.orElseThrow(() -> refused);
    }

    /**
     * The statement of an id, if it took effect; BUSY while the outcome of an earlier statement,
     * which may be this one, is unknown.
     */
    private Optional<CompletedStatement> findCompleted(UUID id) {
        statements.lock();
        try {
            checkKnown();
            settleEarlier();
            return current.findStatement(id);
        } finally {
            statements.unlock();
        }
    }

    /** One run of a statement that has an id. Confined to one thread. */
    private static final class Attempt {
        private final UUID id;
        private boolean tookEffect;

        private Attempt(UUID id) {
            this.id = id;
        }

        /**
         * Throws if an earlier attempt took effect; called under the lock, when no earlier attempt
         * is running.
         */
        void checkFirst(Catalog catalog) {
            if (catalog.findStatement(id).isPresent()) {
                throw new SteleException(
                        ErrorCode.UNAVAILABLE,
                        "Expected a new statement, found that %s took effect".formatted(id));
            }
        }
    }

    private static Optional<TableId> tableId(Object result) {
        return result instanceof TableSchema table ? Optional.of(table.id()) : Optional.empty();
    }

    private <T> T change(Function<CatalogEdit, T> statement) {
        return change(statement, MAX_WAIT_MILLIS);
    }

    /**
     * @param waitMillis how long to repeat the request if the store does not answer whether the
     *     version exists
     */
    private <T> T change(Function<CatalogEdit, T> statement, long waitMillis) {
        statements.lock();
        try {
            for (int attempt = 1; ; attempt++) {
                checkKnown();
                checkOwned();
                settleEarlier();
                Catalog before = current;
                CatalogEdit edit = new CatalogEdit(before, clock.get(), epoch, retentionMillis);
                Optional<Attempt> once =
                        ATTEMPT.isBound() ? Optional.of(ATTEMPT.get()) : Optional.empty();
                once.ifPresent(its -> its.checkFirst(before));
                T result = statement.apply(edit);
                once.ifPresent(its -> edit.complete(its.id, tableId(result)));
                Unsettled change = new Unsettled(before, edit.build());
                try {
                    createVersion(change, waitMillis);
                    once.ifPresent(its -> its.tookEffect = true);
                    return result;
                } catch (SteleException lost) {
                    // Another process created the version first: the statement is applied to that
                    // version
                    if (lost.code() != ErrorCode.BUSY || attempt == MAX_LOST) {
                        throw lost;
                    }
                }
            }
        } finally {
            statements.unlock();
        }
    }

    private void createVersion(Unsettled change, long waitMillis) {
        long until = clock.get().millis() + waitMillis;
        long pauseMillis = FIRST_PAUSE_MILLIS;
        for (int attempt = 1; ; attempt++) {
            try {
                settle(change);
                return;
            } catch (IOException e) {
                unsettled = change;
                long left = until - clock.get().millis();
                if (attempt == MAX_ATTEMPTS || left <= 0) {
                    throw change.unknown(e);
                }
                sleepMillis.accept(Math.min(pauseMillis, left));
                pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
            }
        }
    }

    /**
     * Finds out the outcome of an earlier statement, which decides the version to change; throws
     * BUSY while it is unknown.
     */
    private void settleEarlier() {
        Unsettled earlier = unsettled;
        if (earlier == null) {
            return;
        }
        try {
            settle(earlier);
        } catch (IOException stillUnknown) {
            throw earlier.busy("this statement");
        } catch (SteleException lost) {
            checkOwned(); // else it did not happen, as its own caller expected it may
        }
    }

    /**
     * Creates the version, or finds out that another process created it.
     *
     * @throws IOException the outcome is still unknown
     * @throws SteleException BUSY: the statement did not and will not happen; UNAVAILABLE: another
     *     engine took the catalog over, and an attempt may have succeeded before
     */
    private void settle(Unsettled change) throws IOException {
        if (store.create(change.after())) {
            unsettled = null;
            become(change.after());
            deleteOldVersions();
            return;
        }
        Catalog latest = store.loadLatest();
        unsettled = null;
        if (latest.epoch() > epoch) {
            ownedBy = latest.epoch();
            throw new SteleException(
                    ErrorCode.UNAVAILABLE,
                    "It is not known whether the statement took effect: expected to create catalog version %d in epoch %d, found the catalog owned in epoch %d by an engine that was opened later"
                            .formatted(change.after().version(), epoch, ownedBy));
        }
        if (latest.version() > current.version()) {
            become(latest);
        }
        throw new SteleException(
                ErrorCode.BUSY,
                "Expected to create catalog version %d, found it created by another process; nothing was changed, try again"
                        .formatted(change.after().version()));
    }

    private void checkOwned() {
        if (ownedBy > epoch) {
            throw takenOver(epoch, ownedBy);
        }
    }

    private static SteleException takenOver(long epoch, long found) {
        return new SteleException(
                ErrorCode.UNAVAILABLE,
                "Expected to own the catalog in epoch %d, found it owned in epoch %d by an engine that was opened later; nothing was changed"
                        .formatted(epoch, found));
    }

    /** Whether the outcome of a statement is still unknown. */
    public boolean isUnsettled() {
        return unsettled != null;
    }

    /**
     * Requests the outcome of an unsettled statement from the store once more, unless a statement
     * is running; blocks. If the statement succeeded in the store, it takes effect here.
     *
     * @return whether every outcome is known
     */
    public boolean settle() {
        if (!statements.tryLock()) {
            return false;
        }
        try {
            Unsettled present = unsettled;
            if (present != null) {
                settle(present);
            }
            return true;
        } catch (IOException stillUnknown) {
            return false;
        } catch (SteleException lost) {
            return true;
        } finally {
            statements.unlock();
        }
    }

    /**
     * The BUSY error for a write to a table while it is unknown whether a statement has changed or
     * dropped the table, since the write could be lost; otherwise empty.
     */
    public Optional<SteleException> findUnsettled(TableId tableId) {
        Unsettled present = unsettled;
        return present == null || !present.concerns(tableId)
                ? Optional.empty()
                : Optional.of(present.busy("a write to table id " + tableId));
    }

    /**
     * Throws BUSY while the outcome of a statement is unknown, when a new statement would be
     * refused.
     */
    public void checkSettled() {
        Unsettled present = unsettled;
        if (present != null) {
            throw present.busy("this statement");
        }
    }

    /** Old versions that could not be deleted now are deleted after the next statement. */
    @SuppressWarnings("EmptyCatch")
    private void deleteOldVersions() {
        try {
            store.deleteOld();
        } catch (IOException e) {
            // The statement itself succeeded.
        }
    }

    /** Puts a version into effect, in the steps of {@link CatalogListener}. */
    private void become(Catalog after) {
        Catalog before = current;
        notifyAll(listener -> listener.catalogChanging(before, after));
        current = after;
        notifyAll(listener -> listener.catalogChanged(before, after));
    }

    /** Notifies all listeners, also after one that fails, since the version is already durable. */
    private void notifyAll(Consumer<CatalogListener> call) {
        for (CatalogListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (RuntimeException | Error e) {
                failures.accept(e);
            }
        }
    }

    /** A catalog version for which it is unknown whether the store has created it. */
    private record Unsettled(Catalog before, Catalog after) {
        /** Whether the statement changed or dropped the table. */
        @SuppressWarnings("ReferenceEquality") // an entry that changed is another object
        boolean concerns(TableId tableId) {
            Optional<TableEntry> now = before.findTable(tableId);
            return now.isPresent()
                    && after.findTable(tableId).filter(next -> next == now.get()).isEmpty();
        }

        SteleException unknown(IOException cause) {
            return new SteleException(
                    ErrorCode.STORE_FAILED,
                    "It is not known whether the statement took effect: the store did not say whether catalog version %d was created (%s). It will take effect when the store answers, unless the sidecar is restarted before; until it is known, other statements and writes to the tables it concerns are refused as busy"
                            .formatted(after.version(), cause.getMessage()),
                    cause);
        }

        SteleException busy(String what) {
            return new SteleException(
                    ErrorCode.BUSY,
                    "Expected to know whether catalog version %d was created before %s, found that the store has not answered yet; nothing was done, try again"
                            .formatted(after.version(), what));
        }
    }

    private static SteleException failed(String what, IOException e) {
        return new SteleException(
                ErrorCode.STORE_FAILED, "Cannot " + what + " the catalog: " + e.getMessage(), e);
    }
}
