package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.Relation;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import net.sf.jsqlparser.expression.Alias;
import net.sf.jsqlparser.expression.AnyComparisonExpression;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.operators.conditional.AndExpression;
import net.sf.jsqlparser.expression.operators.relational.EqualsTo;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.schema.Column;
import net.sf.jsqlparser.schema.Table;
import net.sf.jsqlparser.statement.select.FromItem;
import net.sf.jsqlparser.statement.select.Join;
import net.sf.jsqlparser.statement.select.LateralSubSelect;
import net.sf.jsqlparser.statement.select.ParenthesedFromItem;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.statement.select.TableFunction;

/**
 * The compiler of a catalog query's FROM clause into join steps. Confined to the compilation of one
 * statement.
 */
final class FromCompiler {
    private final QueryContext context;
    private final CatalogQueryScope scope;
    private final SelectCompiler selects;
    private final ExpressionCompiler expressions;
    private final Optional<CatalogQueryScope> around;
    private final List<JoinStep> steps = new ArrayList<>();

    /**
     * @param around the scope of the query around this one
     */
    FromCompiler(
            QueryContext context,
            CatalogQueryScope scope,
            Optional<CatalogQueryScope> around,
            SelectCompiler selects,
            ExpressionCompiler expressions) {
        this.context = requireNonNull(context, "context is null");
        this.scope = requireNonNull(scope, "scope is null");
        this.around = requireNonNull(around, "around is null");
        this.selects = requireNonNull(selects, "selects is null");
        this.expressions = requireNonNull(expressions, "expressions is null");
    }

    List<JoinStep> compile(FromItem first, List<Join> joins) {
        if (first != null) {
            add(first, JoinStep.Kind.INNER, List.of(), List.of());
        }
        if (joins != null) {
            for (Join join : joins) {
                join(join);
            }
        }
        return steps;
    }

    private void join(Join join) {
        if (join.isNatural() || join.isSemi() || join.isApply()) {
            throw CatalogValues.invalid("a join with ON or USING", join);
        }
        JoinStep.Kind kind =
                join.isLeft()
                        ? JoinStep.Kind.LEFT
                        : join.isRight()
                                ? JoinStep.Kind.RIGHT
                                : join.isFull() ? JoinStep.Kind.FULL : JoinStep.Kind.INNER;
        List<Column> using =
                join.getUsingColumns() == null ? List.of() : List.copyOf(join.getUsingColumns());
        add(
                join.getFromItem(),
                kind,
                join.getOnExpressions() == null ? List.of() : List.copyOf(join.getOnExpressions()),
                using);
    }

    private void add(FromItem item, JoinStep.Kind kind, List<Expression> on, List<Column> using) {
        if (item instanceof ParenthesedFromItem nested && nested.getAlias() == null) {
            if (kind != JoinStep.Kind.INNER) {
                throw CatalogValues.invalid("no outer join of several relations in brackets", item);
            }
            add(nested.getFromItem(), kind, List.of(), List.of());
            if (nested.getJoins() != null) {
                nested.getJoins().forEach(this::join);
            }
            int last = steps.size() - 1;
            JoinStep step = steps.get(last);
            List<JoinStep.Condition> conditions = new ArrayList<>(step.conditions());
            on.forEach(each -> conditions.addAll(conditions(each)));
            steps.set(last, new JoinStep(step.source(), step.kind(), conditions));
            return;
        }
        Source source = source(item);
        List<JoinStep.Condition> conditions = new ArrayList<>();
        int number = scope.sources().size();
        if (using.isEmpty()) {
            scope.sources().add(source);
        } else {
            conditions.addAll(using(source, using, number));
        }
        on.forEach(each -> conditions.addAll(conditions(each)));
        steps.add(new JoinStep(number, kind, conditions));
    }

    /**
     * The conditions of USING: equalities of columns of one name, of which only the first stays
     * visible.
     */
    private List<JoinStep.Condition> using(Source source, List<Column> using, int number) {
        List<String> names =
                using.stream().map(column -> Literals.name(column.getColumnName())).toList();
        List<Typed> left = new ArrayList<>();
        List<BitSet> references = new ArrayList<>();
        for (String name : names) {
            references.add(
                    scope.referencesOf(
                            () ->
                                    left.add(
                                            scope.column(
                                                    Optional.empty(), Optional.empty(), name))));
        }
        List<Relation.Column> columns =
                source.columns().stream()
                        .map(
                                column ->
                                        new Relation.Column(
                                                column.name(),
                                                column.type(),
                                                column.isHidden() || names.contains(column.name())))
                        .toList();
        scope.sources().add(source.named(source.name(), columns));
        List<JoinStep.Condition> conditions = new ArrayList<>();
        for (int index = 0; index < names.size(); index++) {
            Typed right =
                    scope.column(Optional.empty(), Optional.of(source.name()), names.get(index));
            BitSet mine = new BitSet();
            mine.set(number);
            BitSet both = (BitSet) mine.clone();
            both.or(references.get(index));
            conditions.add(
                    new JoinStep.Condition(
                            expressions.comparison("=", left.get(index), right),
                            both,
                            Optional.of(
                                    new JoinStep.Equality(
                                            new JoinStep.Side(
                                                    left.get(index), references.get(index), -1),
                                            new JoinStep.Side(right, mine, -1)))));
        }
        return conditions;
    }

    private Source source(FromItem item) {
        return switch (item) {
            case Table table -> table(table);
            case TableFunction function -> function(function);
            case LateralSubSelect lateral ->
                    derived(lateral.getSelect(), lateral.getAlias(), Optional.of(scope));
            case Select select -> derived(select, item.getAlias(), around);
            default -> throw CatalogValues.invalid("a relation, query or function in FROM", item);
        };
    }

    private Source table(Table table) {
        String name = Literals.name(table.getName());
        Optional<String> schema = Optional.ofNullable(table.getSchemaName()).map(Literals::name);
        Optional<CatalogQueryScope.CommonTable> common =
                schema.isEmpty() ? scope.commonTable(name) : Optional.empty();
        Source source =
                common.map(
                                found ->
                                        new Source(
                                                Optional.empty(),
                                                name,
                                                found.columns(),
                                                Optional.empty(),
                                                false,
                                                found.rows()))
                        .orElseGet(() -> relation(schema, name));
        return aliased(source, table.getAlias());
    }

    private Source relation(Optional<String> schema, String name) {
        Relation relation =
                SessionRelations.find(context, schema, name)
                        .orElseThrow(
                                () ->
                                        CatalogValues.invalid(
                                                "a relation of the catalog",
                                                schema.map(text -> text + ".").orElse("") + name));
        List<Object[]> rows = relation.rows();
        return new Source(
                Optional.of(relation.definition().schema()),
                name,
                relation.definition().columns(),
                Optional.of(relation),
                false,
                frame -> rows);
    }

    private Source derived(Select select, Alias alias, Optional<CatalogQueryScope> outer) {
        SelectPlan plan = selects.compile(select, outer);
        boolean isLateral = outer.isPresent() && outer.get() == scope;
        Source.Rows rows = isLateral ? plan::rows : frame -> plan.rows(frame.at(1));
        return aliased(
                new Source(Optional.empty(), "", plan.columns(), Optional.empty(), isLateral, rows),
                alias);
    }

    private Source function(TableFunction item) {
        Function function = item.getFunction() == null ? item : item.getFunction();
        String name = FunctionCompiler.name(function);
        Optional<List<Relation.Column>> empty = SetFunctions.emptyColumns(name);
        if (empty.isPresent()) {
            return aliased(
                    new Source(
                            Optional.empty(),
                            name,
                            empty.get(),
                            Optional.empty(),
                            false,
                            frame -> List.of()),
                    item.getAlias());
        }
        AtomicReference<Source> made = new AtomicReference<>();
        BitSet references =
                scope.referencesOf(() -> made.set(function(function, name, item.getAlias())));
        Source source = made.get();
        if (source == null) {
            throw CatalogValues.invalid("a function in FROM", item);
        }
        boolean isOrdered = String.valueOf(item.getWithClause()).equalsIgnoreCase("ordinality");
        Source numbered = isOrdered ? numbered(source) : source;
        return aliased(
                new Source(
                        Optional.empty(),
                        numbered.name(),
                        numbered.columns(),
                        Optional.empty(),
                        !references.isEmpty(),
                        numbered.rows()),
                item.getAlias());
    }

    private Source function(Function function, String name, Alias alias) {
        List<Typed> arguments =
                function.getParameters() == null
                        ? List.of()
                        : expressions.compileAll(function.getParameters());
        String column = alias == null ? name : Literals.name(alias.getName());
        boolean isSet = SetFunctions.isSet(name);
        if (isSet && name.equals("_pg_expandarray")) {
            Typed elements = SetFunctions.compile(name, arguments, context);
            List<Relation.Column> columns =
                    List.of(
                            new Relation.Column("x", TypeOids.INT4),
                            new Relation.Column("n", TypeOids.INT4));
            return new Source(
                    Optional.empty(),
                    name,
                    columns,
                    Optional.empty(),
                    false,
                    frame ->
                            Operators.elements(elements.of(frame)).values().stream()
                                    .map(each -> ((CatalogValues.Fields) each).values().toArray())
                                    .toList());
        }
        Typed value =
                isSet
                        ? SetFunctions.compile(name, arguments, context)
                        : expressions.compile(function);
        int type = isSet ? SetFunctions.elementType(name, arguments) : value.type();
        return new Source(
                Optional.empty(),
                name,
                List.of(new Relation.Column(column, type)),
                Optional.empty(),
                false,
                frame ->
                        isSet
                                ? Operators.elements(value.of(frame)).values().stream()
                                        .map(each -> new Object[] {each})
                                        .toList()
                                : List.<Object[]>of(new Object[] {value.of(frame)}));
    }

    private static Source numbered(Source source) {
        List<Relation.Column> columns = new ArrayList<>(source.columns());
        columns.add(new Relation.Column("ordinality", TypeOids.INT8));
        return new Source(
                Optional.empty(),
                source.name(),
                columns,
                Optional.empty(),
                source.isLateral(),
                frame -> {
                    List<Object[]> rows = new ArrayList<>();
                    for (Object[] row : source.rows().of(frame)) {
                        Object[] wider = Arrays.copyOf(row, row.length + 1);
                        wider[row.length] = rows.size() + 1L;
                        rows.add(wider);
                    }
                    return rows;
                });
    }

    private static Source aliased(Source source, Alias alias) {
        if (alias == null) {
            return source;
        }
        List<Relation.Column> columns = new ArrayList<>(source.columns());
        if (alias.getAliasColumns() != null) {
            for (int index = 0;
                    index < alias.getAliasColumns().size() && index < columns.size();
                    index++) {
                Relation.Column column = columns.get(index);
                String name = Literals.name(alias.getAliasColumns().get(index).name);
                columns.set(index, new Relation.Column(name, column.type(), column.isHidden()));
            }
        }
        return source.named(Literals.name(alias.getName()), columns);
    }

    /** The parts of a condition that AND connects. */
    List<JoinStep.Condition> conditions(Expression expression) {
        List<JoinStep.Condition> conditions = new ArrayList<>();
        if (expression instanceof AndExpression and) {
            conditions.addAll(conditions(and.getLeftExpression()));
            conditions.addAll(conditions(and.getRightExpression()));
        } else if (expression instanceof ExpressionList<?> list && list.size() == 1) {
            conditions.addAll(conditions(list.get(0)));
        } else {
            conditions.add(condition(expression));
        }
        return conditions;
    }

    private JoinStep.Condition condition(Expression expression) {
        AtomicReference<Typed> compiled = new AtomicReference<>();
        BitSet references = scope.referencesOf(() -> compiled.set(expressions.compile(expression)));
        Optional<JoinStep.Equality> equality = Optional.empty();
        if (expression instanceof EqualsTo equals && isPlain(equals.getRightExpression())) {
            equality =
                    Optional.of(
                            new JoinStep.Equality(
                                    side(equals.getLeftExpression()),
                                    side(equals.getRightExpression())));
        }
        return new JoinStep.Condition(
                requireNonNull(compiled.get(), "not compiled"), references, equality);
    }

    private static boolean isPlain(Expression expression) {
        return !(expression instanceof Function function && Literals.isQuantifier(function))
                && !(expression instanceof AnyComparisonExpression);
    }

    private JoinStep.Side side(Expression expression) {
        AtomicReference<Typed> compiled = new AtomicReference<>();
        BitSet references = scope.referencesOf(() -> compiled.set(expressions.compile(expression)));
        boolean isColumn =
                expression instanceof Column column
                        && column.getArrayConstructor() == null
                        && references.cardinality() == 1;
        int number =
                isColumn
                        ? scope.sources()
                                .get(references.nextSetBit(0))
                                .indexOf(Literals.name(((Column) expression).getColumnName()))
                        : -1;
        return new JoinStep.Side(
                requireNonNull(compiled.get(), "not compiled"), references, number);
    }
}
