package io.stele.sidecar.postgresql.session;

import io.stele.sidecar.postgresql.copy.CopyOptions;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import java.util.List;
import java.util.Optional;

/** A parsed statement of a PostgreSQL client on its session or transaction, or COPY. Immutable. */
public sealed interface Command {
    record Begin(boolean readOnly) implements Command {}

    /** SET TRANSACTION, or SET SESSION CHARACTERISTICS AS TRANSACTION. */
    record TransactionMode(boolean session, boolean readOnly) implements Command {}

    record Commit() implements Command {}

    record Rollback() implements Command {}

    record Savepoint(String name) implements Command {}

    /** RELEASE SAVEPOINT. */
    record Release(String name) implements Command {}

    /** ROLLBACK TO SAVEPOINT. */
    record RollbackTo(String name) implements Command {}

    /** SET of a setting; for the transaction only where {@code local}. */
    record Set(String name, String value, boolean local) implements Command {}

    /** A statement that has no effect here, with the tag of its reply. */
    record NoEffect(String tag) implements Command {}

    /** RESET; without a name of all settings. */
    record Reset(Optional<String> name) implements Command {}

    record Show(String name) implements Command {}

    /** DISCARD ALL. */
    record Discard() implements Command {}

    /** DEALLOCATE; without a name of all. */
    record Deallocate(Optional<String> name) implements Command {}

    /**
     * COPY FROM STDIN.
     *
     * @param columns empty: all
     */
    record CopyIn(TableName table, List<String> columns, CopyOptions options) implements Command {
        public CopyIn {
            columns = List.copyOf(columns);
        }
    }

    /** COPY TO STDOUT of the result of a statement. */
    record CopyOut(String query, CopyOptions options) implements Command {}

    /**
     * COPY TO STDOUT of a whole table.
     *
     * @param columns empty: all
     */
    record CopyTableOut(TableName table, List<String> columns, CopyOptions options)
            implements Command {
        public CopyTableOut {
            columns = List.copyOf(columns);
        }
    }
}
