package io.stele.sidecar.postgresql.sql;

import io.stele.sidecar.postgresql.sql.Statement.Assignment;
import io.stele.sidecar.postgresql.sql.Statement.Named;
import io.stele.sidecar.postgresql.sql.Statement.OnConflict;
import io.stele.sidecar.postgresql.sql.Statement.OrderItem;
import io.stele.sidecar.postgresql.sql.Statement.Output;
import io.stele.sidecar.postgresql.sql.Statement.Star;
import io.stele.sidecar.postgresql.sql.Statement.TableName;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.AllValue;
import net.sf.jsqlparser.expression.NullValue;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.expression.operators.relational.ParenthesedExpressionList;
import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.parser.TokenMgrException;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.ReturningClause;
import net.sf.jsqlparser.statement.insert.ConflictActionType;
import net.sf.jsqlparser.statement.insert.InsertConflictAction;
import net.sf.jsqlparser.statement.insert.InsertConflictTarget;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.AllTableColumns;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Limit;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.SelectItem;
import net.sf.jsqlparser.statement.select.Values;
import net.sf.jsqlparser.statement.update.UpdateSet;
import org.jspecify.annotations.Nullable;

/**
 * The parser of statements that may have a fixed plan, from text by JSqlParser to a {@link
 * Statement}. A statement with a part that {@link Statement} cannot express is refused: the
 * statement is built again from the parts that were used, and must have the same text.
 */
public final class SqlParser {
    /** The most characters of a statement; longer texts contain rows that should use COPY. */
    public static final int MAX_LENGTH = 4 << 20;

    private static final int MAX_DEPTH = 50;
    private static final int MAX_COMPLEX_DEPTH = 8;
    private static final int MAX_COMPLEX_LENGTH = 16 << 10;
    private static final long MAX_COMPLEX_MILLIS = 2_000; // a thousand times what most take

    private SqlParser() {}

    /**
     * Parses one statement.
     *
     * @throws NoFixedPlanException if it is another kind of statement, or if it has parts that no
     *     fixed plan supports
     * @throws PostgresException SYNTAX_ERROR
     */
    public static Statement parse(String sql) {
        try {
            return statement(parsed(sql));
        } catch (StackOverflowError e) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected a statement of fewer operators inside each other, found '%s'"
                            .formatted(shown(sql)),
                    Optional.of("Write x = 1 OR x = 2 as x IN (1, 2)."));
        }
    }

    private static Statement statement(net.sf.jsqlparser.statement.Statement parsed) {
        return switch (parsed) {
            case PlainSelect select -> select(select);
            case net.sf.jsqlparser.statement.insert.Insert insert -> insert(insert);
            case net.sf.jsqlparser.statement.update.Update update -> update(update);
            case net.sf.jsqlparser.statement.delete.Delete delete -> delete(delete);
            case net.sf.jsqlparser.statement.Statement other ->
                    throw new NoFixedPlanException(
                            "SELECT, INSERT, UPDATE or DELETE of one table",
                            other.getClass().getSimpleName());
        };
    }

    /** Parses an expression, such as the default value of a column. */
    public static Expression parseExpression(String sql) {
        int unused = checkSize(sql);
        try {
            return ExpressionTranslator.read(new BriefParser(sql).SimpleExpression());
        } catch (ParseException
                | TokenMgrException
                | NumberFormatException
                | StackOverflowError e) {
            throw syntaxError(sql, e);
        }
    }

    private static net.sf.jsqlparser.statement.Statement parsed(String sql) {
        int depth = checkSize(sql);
        try {
            return parsed(sql, depth > MAX_COMPLEX_DEPTH);
        } catch (ParseException | TokenMgrException | NumberFormatException e) {
            throw syntaxError(sql, e);
        }
    }

    /**
     * Parses first with short lookahead, which is fast. Only if this fails, it parses with long
     * lookahead, whose time doubles with each pair of parentheses, and is limited.
     */
    private static net.sf.jsqlparser.statement.Statement parsed(String sql, boolean isDeep)
            throws ParseException {
        try {
            return parsed(new BriefParser(sql).withAllowComplexParsing(false), sql);
        } catch (ParseException e) {
            if (isDeep || sql.length() > MAX_COMPLEX_LENGTH) {
                throw e;
            }
            return parsedWithLongLookahead(sql);
        }
    }

    private static net.sf.jsqlparser.statement.Statement parsedWithLongLookahead(String sql)
            throws ParseException {
        CCJSqlParser parser = new BriefParser(sql).withAllowComplexParsing(true);
        CompletableFuture<Boolean> limit =
                new CompletableFuture<Boolean>()
                        .completeOnTimeout(true, MAX_COMPLEX_MILLIS, TimeUnit.MILLISECONDS);
        // An interrupted parser goes on with short lookahead
        CompletableFuture<Void> unused = limit.thenAccept(isOver -> parser.interrupted = isOver);
        try {
            return parsed(parser, sql);
        } finally {
            limit.cancel(false);
        }
    }

    private static net.sf.jsqlparser.statement.Statement parsed(CCJSqlParser parser, String sql)
            throws ParseException {
        net.sf.jsqlparser.statement.Statement statement = parser.Statement();
        if (statement == null) {
            throw syntaxError(sql, new IllegalArgumentException("nothing"));
        }
        return statement;
    }

    /** Checks the size and nesting of a statement; returns the depth of its parentheses. */
    private static int checkSize(String sql) {
        if (sql.length() > MAX_LENGTH) {
            throw new PostgresException(
                    SqlState.LIMIT_EXCEEDED,
                    "Expected a statement of at most %s characters, found %s"
                            .formatted(MAX_LENGTH, sql.length()),
                    Optional.of("Load many rows with COPY."));
        }
        int depth = 0;
        int deepest = 0;
        for (int i = 0; i < sql.length(); i++) {
            char character = sql.charAt(i);
            if (character == '(') {
                depth++;
                deepest = Math.max(deepest, depth);
            } else if (character == ')') {
                depth--;
            }
            if (depth > MAX_DEPTH) {
                throw new PostgresException(
                        SqlState.LIMIT_EXCEEDED,
                        "Expected at most %s parentheses inside each other, found more"
                                .formatted(MAX_DEPTH));
            }
        }
        return deepest;
    }

    private static PostgresException syntaxError(String sql, Throwable failure) {
        String reason = String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
        return new PostgresException(
                SqlState.SYNTAX_ERROR,
                "Expected a statement of SQL, found '%s': %s"
                        .formatted(sql.length() <= 100 ? sql : sql.substring(0, 100), reason));
    }

    private static Statement.Select select(PlainSelect select) {
        FromItem from = select.getFromItem();
        if (!(from instanceof Table table)) {
            throw new NoFixedPlanException(
                    "FROM one table", from == null ? "none" : from.toString());
        }
        PlainSelect known = new PlainSelect();
        known.setFromItem(plain(table));
        known.setSelectItems(select.getSelectItems());
        known.setWhere(select.getWhere());
        known.setOrderByElements(select.getOrderByElements());
        known.setLimit(select.getLimit());
        known.setOffset(select.getOffset());
        known.setFetch(select.getFetch());
        requireSame(select, known);
        Optional<Expression> limit = limit(select.getLimit());
        if (select.getFetch() != null) {
            if (limit.isPresent() || !select.getFetch().getFetchParameters().contains("ONLY")) {
                throw new NoFixedPlanException("LIMIT", select.getFetch().toString());
            }
            limit = Optional.of(ExpressionTranslator.read(select.getFetch().getExpression()));
        }
        return new Statement.Select(
                tableName(table),
                outputs(select.getSelectItems()),
                condition(select.getWhere()),
                orderBy(select.getOrderByElements()),
                limit,
                Optional.ofNullable(select.getOffset())
                        .map(offset -> ExpressionTranslator.read(offset.getOffset())));
    }

    private static Optional<Expression> limit(@Nullable Limit limit) {
        if (limit == null) {
            return Optional.empty();
        }
        if (limit.getOffset() != null || limit.getByExpressions() != null) {
            throw new NoFixedPlanException("LIMIT of one number", limit.toString());
        }
        net.sf.jsqlparser.expression.Expression rows = limit.getRowCount();
        return rows == null || rows instanceof AllValue || rows instanceof NullValue
                ? Optional.empty()
                : Optional.of(ExpressionTranslator.read(rows));
    }

    private static List<OrderItem> orderBy(@Nullable List<OrderByElement> elements) {
        List<OrderItem> items = new ArrayList<>();
        for (OrderByElement element : elements == null ? List.<OrderByElement>of() : elements) {
            if (element.getNullOrdering() != null) {
                throw new NoFixedPlanException(
                        "ORDER BY without NULLS FIRST or LAST", element.toString());
            }
            items.add(
                    new OrderItem(
                            ExpressionTranslator.read(element.getExpression()), !element.isAsc()));
        }
        return items;
    }

    private static Statement.Insert insert(net.sf.jsqlparser.statement.insert.Insert insert) {
        if (!(insert.getSelect() instanceof Values values)) {
            throw new NoFixedPlanException("INSERT of VALUES", String.valueOf(insert.getSelect()));
        }
        var known = new net.sf.jsqlparser.statement.insert.Insert();
        known.setTable(plain(insert.getTable()));
        known.setColumns(insert.getColumns());
        known.setSelect(insert.getSelect());
        known.setConflictTarget(insert.getConflictTarget());
        known.setConflictAction(insert.getConflictAction());
        known.setReturningClause(insert.getReturningClause());
        requireSame(insert, known);
        List<String> columns = new ArrayList<>();
        if (insert.getColumns() != null) {
            insert.getColumns()
                    .forEach(column -> columns.add(Identifiers.name(column.getColumnName())));
        }
        return new Statement.Insert(
                tableName(insert.getTable()),
                columns,
                rows(values.getExpressions()),
                onConflict(insert.getConflictTarget(), insert.getConflictAction()),
                returning(insert.getReturningClause()));
    }

    private static List<List<Expression>> rows(ExpressionList<?> values) {
        List<List<Expression>> rows = new ArrayList<>();
        if (values instanceof ParenthesedExpressionList<?> one) {
            rows.add(ExpressionTranslator.readAll(one));
            return rows;
        }
        for (net.sf.jsqlparser.expression.Expression row : values) {
            if (!(row instanceof ParenthesedExpressionList<?> list)) {
                throw new NoFixedPlanException("VALUES of rows in parentheses", row.toString());
            }
            rows.add(ExpressionTranslator.readAll(list));
        }
        return rows;
    }

    private static OnConflict onConflict(
            @Nullable InsertConflictTarget target, @Nullable InsertConflictAction action) {
        if (action == null) {
            return new Statement.Fail();
        }
        List<String> columns = new ArrayList<>();
        if (target != null) {
            if (target.getConstraintName() != null
                    || target.getWhereExpression() != null
                    || target.getIndexExpression() != null) {
                throw new NoFixedPlanException(
                        "ON CONFLICT (the columns of the primary key)", target.toString().strip());
            }
            target.getIndexColumnNames().forEach(name -> columns.add(Identifiers.name(name)));
        }
        return action.getConflictActionType() == ConflictActionType.DO_NOTHING
                ? new Statement.DoNothing(columns)
                : new Statement.DoUpdate(
                        columns,
                        assignments(action.getUpdateSets()),
                        condition(action.getWhereExpression()));
    }

    private static Statement.Update update(net.sf.jsqlparser.statement.update.Update update) {
        var known = new net.sf.jsqlparser.statement.update.Update();
        known.setTable(plain(update.getTable()));
        known.setUpdateSets(update.getUpdateSets());
        known.setWhere(update.getWhere());
        known.setReturningClause(update.getReturningClause());
        requireSame(update, known);
        return new Statement.Update(
                tableName(update.getTable()),
                assignments(update.getUpdateSets()),
                condition(update.getWhere()),
                returning(update.getReturningClause()));
    }

    private static Statement.Delete delete(net.sf.jsqlparser.statement.delete.Delete delete) {
        var known = new net.sf.jsqlparser.statement.delete.Delete();
        known.setTable(plain(delete.getTable()));
        known.setWhere(delete.getWhere());
        known.setReturningClause(delete.getReturningClause());
        known.setHasFrom(delete.isHasFrom());
        requireSame(delete, known);
        return new Statement.Delete(
                tableName(delete.getTable()),
                condition(delete.getWhere()),
                returning(delete.getReturningClause()));
    }

    private static List<Assignment> assignments(List<UpdateSet> sets) {
        List<Assignment> assignments = new ArrayList<>();
        for (UpdateSet set : sets) {
            if (set.getColumns().size() != 1 || set.getValues().size() != 1) {
                throw new NoFixedPlanException(
                        "SET of one column after the other", set.getColumns().toString());
            }
            assignments.add(
                    new Assignment(
                            Identifiers.name(set.getColumns().get(0).getColumnName()),
                            ExpressionTranslator.read(set.getValues().get(0))));
        }
        return assignments;
    }

    private static List<Output> returning(@Nullable ReturningClause clause) {
        if (clause == null) {
            return List.of();
        }
        if (clause.getDataItems() != null && !clause.getDataItems().isEmpty()) {
            throw new NoFixedPlanException("RETURNING of values", clause.toString().strip());
        }
        return outputs(clause);
    }

    private static List<Output> outputs(List<SelectItem<?>> items) {
        List<Output> outputs = new ArrayList<>();
        for (SelectItem<?> item : items) {
            net.sf.jsqlparser.expression.Expression expression = item.getExpression();
            if (expression instanceof AllTableColumns || expression instanceof AllColumns) {
                if (!expression.toString().endsWith("*")) {
                    throw new NoFixedPlanException("*", expression.toString());
                }
                outputs.add(new Star());
                continue;
            }
            Alias alias = item.getAlias();
            outputs.add(
                    new Named(
                            ExpressionTranslator.read(expression),
                            Optional.ofNullable(alias)
                                    .map(found -> Identifiers.name(found.getName()))));
        }
        return outputs;
    }

    private static Optional<Expression> condition(
            net.sf.jsqlparser.expression.@Nullable Expression where) {
        return Optional.ofNullable(where).map(ExpressionTranslator::read);
    }

    private static TableName tableName(Table table) {
        if (table.getNameParts().size() > 2) {
            throw new NoFixedPlanException("a table as schema.table", table.toString());
        }
        return new TableName(
                Optional.ofNullable(table.getSchemaName()).map(Identifiers::name),
                Identifiers.name(table.getName()),
                Optional.ofNullable(table.getAlias())
                        .map(alias -> Identifiers.name(alias.getName())));
    }

    /**
     * The table with its names only.
     *
     * @param table null where the library found none, as in {@code DELETE FROM WHERE x = 1}
     */
    private static Table plain(@Nullable Table table) {
        if (table == null) {
            throw new NoFixedPlanException("the name of one table", "none");
        }
        Table plain = new Table(table.getSchemaName(), table.getName());
        if (table.getAlias() != null) {
            plain.setAlias(new Alias(table.getAlias().getName(), table.getAlias().isUseAs()));
        }
        return plain;
    }

    /** Checks that no part of a statement was ignored. */
    private static void requireSame(Object statement, Object known) {
        String all = statement.toString();
        String taken = known.toString();
        if (!all.equals(taken)) {
            throw new NoFixedPlanException(
                    "a statement of the form '%s'".formatted(shown(taken)),
                    "'%s'".formatted(shown(all)));
        }
    }

    private static String shown(String text) {
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
