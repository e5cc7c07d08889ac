package io.stele.sidecar.postgresql.session;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.CatalogColumn;
import io.stele.sidecar.postgresql.catalog.CatalogResult;
import io.stele.sidecar.postgresql.plan.Scope;
import io.stele.sidecar.postgresql.type.PostgresType;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.Replies;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The execution of a PostgreSQL client's commands on its settings and transaction block, and of
 * COPY FROM. Confined to one thread.
 */
final class SessionCommands {
    private final Settings settings;
    private final TransactionBlock block;
    private final Replies replies;
    private final CopyProtocol copies;
    private final Map<String, Optional<String>> beforeLocal = new HashMap<>(); // restored by COMMIT
    private final Map<String, Optional<String>> beforeBlock = new HashMap<>(); // undone by ROLLBACK
    private SavedSettings lastSaved = SavedSettings.UNCHANGED; // many savepoints have the same
    private boolean isReadOnlySession;

    SessionCommands(
            Settings settings, TransactionBlock block, Replies replies, CopyProtocol copies) {
        this.settings = requireNonNull(settings, "settings is null");
        this.block = requireNonNull(block, "block is null");
        this.replies = requireNonNull(replies, "replies is null");
        this.copies = requireNonNull(copies, "copies is null");
    }

    /** Runs a command; returns the number of rows that COPY has received. */
    long run(Command command, String user, List<Integer> formats, Supplier<Scope.Session> scope)
            throws IOException {
        long copied = 0;
        switch (command) {
            case Command.Begin begin -> {
                if (block.isOpen() && !block.isImplicit()) {
                    replies.notice(
                            SqlState.ACTIVE_TRANSACTION, "There is already a transaction block");
                } else {
                    block.begin(begin.readOnly() || isReadOnlySession);
                }
                replies.commandComplete("BEGIN");
            }
            case Command.TransactionMode mode -> {
                if (mode.session()) {
                    isReadOnlySession = mode.readOnly();
                } else {
                    block.setReadOnly(mode.readOnly());
                }
                replies.commandComplete("SET");
            }
            case Command.Commit ignored -> commit();
            case Command.Rollback ignored -> {
                if (!block.isOpen()) {
                    replies.notice(SqlState.NO_ACTIVE_TRANSACTION, "There is no transaction block");
                }
                block.rollback();
                restore(beforeBlock);
                beforeLocal.clear();
                replies.commandComplete("ROLLBACK");
            }
            case Command.Savepoint savepoint -> {
                block.savepoint(savepoint.name(), save());
                replies.commandComplete("SAVEPOINT");
            }
            case Command.Release release -> {
                block.release(release.name());
                replies.commandComplete("RELEASE");
            }
            case Command.RollbackTo rollback -> {
                restoreTo(block.rollbackTo(rollback.name()));
                replies.commandComplete("ROLLBACK");
            }
            case Command.Set set -> {
                set(set);
                replies.commandComplete("SET");
            }
            case Command.Reset reset -> {
                if (reset.name().isPresent()) {
                    noteBefore(reset.name().get(), false);
                    settings.reset(reset.name().get());
                    report(reset.name().get());
                } else {
                    settings.all().keySet().forEach(name -> noteBefore(name, false));
                    settings.resetAll();
                }
                replies.commandComplete("RESET");
            }
            case Command.Show show -> show(show, formats);
            case Command.NoEffect none -> replies.commandComplete(none.tag());
            case Command.Discard ignored -> {
                if (block.isOpen()) {
                    throw new PostgresException(
                            SqlState.ACTIVE_TRANSACTION,
                            "Expected DISCARD outside a transaction block, found it inside one");
                }
                settings.resetAll();
                replies.commandComplete("DISCARD ALL");
            }
            case Command.CopyIn copy -> {
                block.checkWritable();
                copied =
                        copies.receive(
                                copy, settings.searchPath(), scope.get(), block.transaction());
                replies.commandComplete("COPY " + copied);
            }
            case Command.Deallocate ignored -> throw ofSession();
            case Command.CopyOut ignored -> throw ofSession();
            case Command.CopyTableOut ignored -> throw ofSession();
        }
        return copied;
    }

    private static IllegalArgumentException ofSession() {
        return new IllegalArgumentException("The session has the statements");
    }

    private void commit() throws IOException {
        if (!block.isOpen()) {
            replies.notice(SqlState.NO_ACTIVE_TRANSACTION, "There is no transaction block");
            replies.commandComplete("COMMIT");
            return;
        }
        boolean isCommitted = false;
        try {
            isCommitted = block.commit();
        } finally {
            restore(isCommitted ? beforeLocal : beforeBlock);
            beforeLocal.clear();
            beforeBlock.clear();
        }
        replies.commandComplete(isCommitted ? "COMMIT" : "ROLLBACK");
    }

    private void set(Command.Set set) throws IOException {
        if (set.local() && !block.isOpen()) {
            replies.notice(
                    SqlState.NO_ACTIVE_TRANSACTION,
                    "SET LOCAL has an effect in a transaction block only");
            return;
        }
        Optional<String> before = settings.find(set.name());
        settings.set(set.name(), set.value());
        noteBefore(set.name(), before, set.local());
        report(set.name());
    }

    private void noteBefore(String name, boolean isLocal) {
        noteBefore(name, settings.find(name), isLocal);
    }

    /** Notes the value that a setting had before it is changed. */
    private void noteBefore(String name, Optional<String> before, boolean isLocal) {
        String key = Settings.key(name);
        if (block.isOpen()) {
            beforeBlock.putIfAbsent(key, before);
        }
        if (isLocal) {
            beforeLocal.putIfAbsent(key, before);
        } else {
            beforeLocal.remove(key); // COMMIT keeps this one
        }
    }

    /** The settings for a savepoint. */
    private SavedSettings save() {
        Map<String, Optional<String>> values = new HashMap<>();
        beforeBlock.keySet().forEach(name -> values.put(name, settings.find(name)));
        SavedSettings saved = new SavedSettings(values, beforeLocal);
        if (!saved.equals(lastSaved)) {
            lastSaved = saved;
        }
        return lastSaved;
    }

    /** Sets the settings that were changed in the block back to a savepoint. */
    private void restoreTo(SavedSettings saved) throws IOException {
        for (Map.Entry<String, Optional<String>> setting : beforeBlock.entrySet()) {
            settings.restore(
                    setting.getKey(),
                    saved.values().getOrDefault(setting.getKey(), setting.getValue()));
            report(setting.getKey());
        }
        beforeLocal.clear();
        beforeLocal.putAll(saved.beforeLocal());
    }

    private void restore(Map<String, Optional<String>> before) throws IOException {
        for (Map.Entry<String, Optional<String>> setting : before.entrySet()) {
            settings.restore(setting.getKey(), setting.getValue());
            report(setting.getKey());
        }
        before.clear();
    }

    private void report(String name) throws IOException {
        Optional<Map.Entry<String, String>> reported = settings.reported(name);
        if (reported.isPresent()) {
            replies.parameterStatus(reported.get().getKey(), reported.get().getValue());
        }
    }

    static CatalogColumn columnOf(Command.Show show) {
        return new CatalogColumn(show.name().toLowerCase(Locale.ENGLISH), PostgresType.TEXT.oid());
    }

    private void show(Command.Show show, List<Integer> formats) throws IOException {
        String name =
                show.name().equalsIgnoreCase("transaction isolation level")
                        ? "transaction_isolation"
                        : show.name();
        Optional<String> value = settings.find(name);
        if (value.isEmpty()) {
            throw new PostgresException(
                    SqlState.UNDEFINED_OBJECT,
                    "Expected a setting, found none of the name '%s'".formatted(show.name()));
        }
        CatalogResult result = new CatalogResult(List.of(columnOf(show)), List.of(List.of(value)));
        try (CatalogRows rows = new CatalogRows(result, formats)) {
            boolean unused = rows.writeNext(replies.out());
        }
        replies.commandComplete("SHOW");
    }
}
