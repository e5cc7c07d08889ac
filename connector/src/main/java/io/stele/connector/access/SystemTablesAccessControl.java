package io.stele.connector.access;

import static java.util.Objects.requireNonNull;

import io.trino.plugin.base.security.ForwardingConnectorAccessControl;
import io.trino.spi.connector.ConnectorAccessControl;
import io.trino.spi.connector.ConnectorSecurityContext;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.security.AccessDeniedException;
import io.trino.spi.security.TrinoPrincipal;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A wrapper of the catalog's access control that denies changes of tables that only show the
 * system's state. These are the tables of the schema {@code system}, and {@code t$files} and other
 * tables with {@code $} in their names. Without it, Trino fails some of these statements as
 * internal errors. Thread-safe.
 */
public final class SystemTablesAccessControl extends ForwardingConnectorAccessControl {
    private static final String SYSTEM_SCHEMA = "system";

    /**
     * The name prefix of tables that store rows of materialized views. Statements that change these
     * tables are refused with the view's name.
     */
    private static final String STORAGE_PREFIX = "storage$";

    private final ConnectorAccessControl access;

    public SystemTablesAccessControl(ConnectorAccessControl access) {
        this.access = requireNonNull(access, "access is null");
    }

    @Override
    protected ConnectorAccessControl delegate() {
        return access;
    }

    @Override
    public void checkCanDropTable(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanDropTable(context, table);
    }

    @Override
    public void checkCanSetTableProperties(
            ConnectorSecurityContext context,
            SchemaTableName table,
            Map<String, Optional<Object>> properties) {
        checkOwn(table);
        access.checkCanSetTableProperties(context, table, properties);
    }

    @Override
    public void checkCanSetTableComment(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanSetTableComment(context, table);
    }

    @Override
    public void checkCanSetColumnComment(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanSetColumnComment(context, table);
    }

    @Override
    public void checkCanAddColumn(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanAddColumn(context, table);
    }

    @Override
    public void checkCanDropColumn(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanDropColumn(context, table);
    }

    @Override
    public void checkCanRenameColumn(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanRenameColumn(context, table);
    }

    @Override
    public void checkCanAlterColumn(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanAlterColumn(context, table);
    }

    @Override
    public void checkCanSetTableAuthorization(
            ConnectorSecurityContext context, SchemaTableName table, TrinoPrincipal principal) {
        checkOwn(table);
        access.checkCanSetTableAuthorization(context, table, principal);
    }

    @Override
    public void checkCanInsertIntoTable(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanInsertIntoTable(context, table);
    }

    @Override
    public void checkCanInsertIntoTable(
            ConnectorSecurityContext context, SchemaTableName table, Optional<String> branch) {
        checkOwn(table);
        access.checkCanInsertIntoTable(context, table, branch);
    }

    @Override
    public void checkCanDeleteFromTable(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanDeleteFromTable(context, table);
    }

    @Override
    public void checkCanDeleteFromTable(
            ConnectorSecurityContext context, SchemaTableName table, Optional<String> branch) {
        checkOwn(table);
        access.checkCanDeleteFromTable(context, table, branch);
    }

    @Override
    public void checkCanTruncateTable(ConnectorSecurityContext context, SchemaTableName table) {
        checkOwn(table);
        access.checkCanTruncateTable(context, table);
    }

    @Override
    public void checkCanUpdateTableColumns(
            ConnectorSecurityContext context, SchemaTableName table, Set<String> columns) {
        checkOwn(table);
        access.checkCanUpdateTableColumns(context, table, columns);
    }

    @Override
    public void checkCanUpdateTableColumns(
            ConnectorSecurityContext context,
            SchemaTableName table,
            Optional<String> branch,
            Set<String> columns) {
        checkOwn(table);
        access.checkCanUpdateTableColumns(context, table, branch, columns);
    }

    @Override
    public void checkCanExecuteTableProcedure(
            ConnectorSecurityContext context, SchemaTableName table, String procedure) {
        checkOwn(table);
        access.checkCanExecuteTableProcedure(context, table, procedure);
    }

    @Override
    public void checkCanRenameTable(
            ConnectorSecurityContext context, SchemaTableName table, SchemaTableName newName) {
        checkOwn(table);
        access.checkCanRenameTable(context, table, newName);
    }

    private static void checkOwn(SchemaTableName table) {
        boolean isMetadataTable =
                table.getTableName().contains("$")
                        && !table.getTableName().startsWith(STORAGE_PREFIX);
        if (table.getSchemaName().equals(SYSTEM_SCHEMA) || isMetadataTable) {
            throw new AccessDeniedException(
                    "Expected a table to change, found %s, which shows what the system knows"
                            .formatted(table));
        }
    }
}
