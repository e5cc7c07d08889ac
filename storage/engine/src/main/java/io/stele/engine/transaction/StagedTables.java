package io.stele.engine.transaction;

import static java.util.Objects.requireNonNull;

import io.stele.engine.catalog.Catalog;
import io.stele.engine.catalog.CatalogService;
import io.stele.engine.catalog.TableEntry;
import io.stele.engine.catalog.TableState;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.TableSchema;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lookup and the drop, in the catalog, of tables that transactions create. A table becomes
 * public with the commit, or is dropped when it is certain that there will be no commit. If it
 * cannot be dropped now, it is dropped at the next start. Safe for use by many threads.
 */
public final class StagedTables {
    private final CatalogService catalog;
    private final Executor statements;
    private final Consumer<Throwable> uncaught;

    /**
     * @param statements runs tasks that wait for the catalog
     */
    public StagedTables(CatalogService catalog, Executor statements, Consumer<Throwable> uncaught) {
        this.catalog = requireNonNull(catalog, "catalog is null");
        this.statements = requireNonNull(statements, "statements is null");
        this.uncaught = requireNonNull(uncaught, "uncaught is null");
    }

    /** The table, if it is a staged one. */
    Optional<TableId> find(TableId tableId) {
        return catalog.current()
                .findTable(tableId)
                .filter(entry -> entry.state().isStaged())
                .map(entry -> entry.schema().id());
    }

    /**
     * Throws when the name of a staged table is taken by now, but not by the table that it
     * replaces.
     *
     * @throws SteleException TABLE_ALREADY_EXISTS
     */
    void checkPublishable(TableId tableId) {
        catalog.current()
                .findTable(tableId)
                .filter(entry -> isTaken(catalog.current(), entry))
                .map(TableEntry::schema)
                .ifPresent(
                        table -> {
                            throw new SteleException(
                                    ErrorCode.TABLE_ALREADY_EXISTS,
                                    "Expected a new table, found '%s' existing"
                                            .formatted(table.qualifiedName()));
                        });
    }

    private static boolean isTaken(Catalog present, TableEntry staged) {
        TableSchema table = staged.schema();
        return present.findView(table.schemaName(), table.tableName()).isPresent()
                || (staged.state() != TableState.REPLACEMENT
                        && present.findTable(table.schemaName(), table.tableName()).isPresent());
    }

    /** Drops a table, if it is still staged; completes after the attempt, and never fails. */
    CompletableFuture<@Nullable Void> drop(Optional<TableId> tableId) {
        if (tableId.flatMap(this::find).isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<@Nullable Void> tried = new CompletableFuture<>();
        try {
            statements.execute(
                    () -> {
                        tryDrop(tableId.get());
                        tried.complete(null);
                    });
        } catch (RejectedExecutionException full) {
            tried.complete(null);
        }
        return tried;
    }

    private void tryDrop(TableId tableId) {
        try {
            if (find(tableId).isPresent()) {
                catalog.dropTable(tableId);
            }
        } catch (RuntimeException | Error failed) {
            uncaught.accept(failed);
        }
    }
}
