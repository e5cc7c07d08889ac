package io.stele.flink.catalog;

import io.stele.flink.type.FlinkTypes;
import io.stele.protocol.api.catalog.AlterTableRequest;
import io.stele.protocol.api.catalog.CatalogActions;
import io.stele.protocol.api.catalog.SetCommentRequest;
import io.stele.protocol.api.catalog.TableDescription;
import io.stele.protocol.schema.ColumnChange;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * The translation of one ALTER TABLE of Flink into requests to Stele. All changes are translated
 * before the first request is sent. Immutable.
 */
final class TableAlteration {
    private final ObjectPath path;
    private final List<Step> steps;

    private TableAlteration(ObjectPath path, List<Step> steps) {
        this.path = path;
        this.steps = List.copyOf(steps);
    }

    /** One request of the statement. It refers to the table as the request before it left it. */
    @FunctionalInterface
    private interface Step {
        TableDescription apply(TableSchema present, RequestSender sender);
    }

    /**
     * Translates the changes; sends nothing.
     *
     * @param table the table before the changes
     * @throws CatalogException Stele does not support one of the changes
     */
    static TableAlteration of(ObjectPath path, TableSchema table, List<TableChange> changes) {
        List<Step> steps = new ArrayList<>();
        for (TableChange change : changes) {
            addSteps(path, table, change, steps);
        }
        return new TableAlteration(path, steps);
    }

    /** Sends the requests one after the other. After a failure, the earlier changes remain. */
    void apply(TableSchema table, RequestSender sender) {
        TableSchema present = table;
        for (Step step : steps) {
            present = step.apply(present, sender).schema();
        }
    }

    private static void addSteps(
            ObjectPath path, TableSchema table, TableChange change, List<Step> steps) {
        if (change instanceof TableChange.AddColumn added) {
            steps.add(column(addition(path, added)));
        } else if (change instanceof TableChange.DropColumn dropped) {
            steps.add(column(ColumnChange.drop(List.of(dropped.getColumnName()))));
        } else if (change instanceof TableChange.ModifyColumnName renamed) {
            steps.add(
                    column(
                            ColumnChange.rename(
                                    List.of(renamed.getOldColumnName()),
                                    renamed.getNewColumnName())));
        } else if (change instanceof TableChange.ModifyPhysicalColumnType retyped) {
            addTypeSteps(path, table, retyped, steps);
        } else if (change instanceof TableChange.ModifyColumnComment commented) {
            String name = commented.getOldColumn().getName();
            steps.add(comment(Optional.of(name), commented.getNewComment()));
        } else if (change instanceof TableChange.ModifyTableComment commented) {
            steps.add(comment(Optional.empty(), commented.getComment()));
        } else {
            throw new CatalogException(
                    "Expected an ALTER TABLE %s that adds, drops or renames columns, widens their types or sets comments, found '%s'; use Trino for it"
                            .formatted(path, change));
        }
    }

    private static Step column(ColumnChange change) {
        return (present, sender) ->
                sender.send(
                        CatalogActions.ALTER_TABLE,
                        new AlterTableRequest(present.id(), present.schemaVersion(), change));
    }

    /**
     * @param column its name when the step runs; empty: the comment of the table
     */
    private static Step comment(Optional<String> column, String comment) {
        return (present, sender) ->
                sender.send(
                        CatalogActions.SET_COMMENT,
                        new SetCommentRequest(
                                present.id(),
                                column.map(name -> find(present, name).id()),
                                Optional.ofNullable(comment).filter(text -> !text.isEmpty())));
    }

    private static ColumnSchema find(TableSchema table, String name) {
        return table.columns().stream()
                .filter(column -> column.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new CatalogException(
                                        "Expected a column of table %s, found '%s'"
                                                .formatted(table.qualifiedName(), name)));
    }

    private static ColumnChange addition(ObjectPath path, TableChange.AddColumn added) {
        Column column = added.getColumn();
        if (!column.isPhysical()) {
            throw new CatalogException(
                    "Expected physical columns in table %s, found '%s', which is computed or metadata"
                            .formatted(path, column.getName()));
        }
        LogicalType type = column.getDataType().getLogicalType();
        if (!type.isNullable()) {
            throw new CatalogException(
                    "Expected a nullable new column in table %s, since its rows have no value for it; found '%s' of type %s"
                            .formatted(path, column.getName(), type.asSummaryString()));
        }
        ColumnChange change =
                ColumnChange.addColumn(
                        column.getName(),
                        TableMapping.stored(path, column.getName(), type),
                        column.getComment());
        TableChange.ColumnPosition position = added.getPosition();
        if (position instanceof TableChange.After after) {
            return change.at(new ColumnChange.Position(Optional.of(after.column())));
        }
        return position instanceof TableChange.First
                ? change.at(ColumnChange.Position.FIRST)
                : change;
    }

    private static void addTypeSteps(
            ObjectPath path,
            TableSchema table,
            TableChange.ModifyPhysicalColumnType change,
            List<Step> steps) {
        String name = change.getOldColumn().getName();
        ColumnSchema column = find(table, name);
        LogicalType type = change.getNewType().getLogicalType();
        if (column.nullable() && !type.isNullable()) {
            throw new CatalogException(
                    "Expected column '%s' of table %s to stay nullable, since its rows may be null; found %s"
                            .formatted(name, path, type.asSummaryString()));
        }
        DataType stored = TableMapping.stored(path, name, type);
        boolean isSame =
                FlinkTypes.toFlink(column.type())
                        .filter(present -> present.copy(true).equals(type.copy(true)))
                        .isPresent();
        if (!isSame) {
            steps.add(column(ColumnChange.setType(List.of(name), stored)));
        }
        if (!column.nullable() && type.isNullable()) {
            steps.add(column(ColumnChange.dropNotNull(name)));
        }
    }

    @Override
    public String toString() {
        return "ALTER TABLE " + path + " in " + steps.size() + " steps";
    }
}
