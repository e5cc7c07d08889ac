package io.stele.sidecar.postgresql.catalog;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.postgresql.catalog.relation.CatalogValues;
import io.stele.sidecar.postgresql.catalog.relation.SystemCatalog;
import io.stele.sidecar.postgresql.catalog.relation.TypeOids;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import net.sf.jsqlparser.expression.AnalyticExpression;
import net.sf.jsqlparser.expression.AnalyticType;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.Function;
import net.sf.jsqlparser.expression.operators.relational.ExpressionList;
import net.sf.jsqlparser.statement.select.AllColumns;
import net.sf.jsqlparser.statement.select.OrderByElement;
import net.sf.jsqlparser.statement.select.Select;

/**
 * The compiler of a catalog query's function calls and operators into {@link Typed} evaluations.
 * Confined to the compilation of one statement.
 */
final class FunctionCompiler {
    private static final Set<String> KEYWORDS =
            Set.of(
                    "current_user",
                    "session_user",
                    "user",
                    "current_role",
                    "current_catalog",
                    "current_schema",
                    "current_date",
                    "current_timestamp",
                    "localtimestamp");
    private static final Set<String> AGGREGATES =
            Set.of(
                    "count",
                    "min",
                    "max",
                    "sum",
                    "avg",
                    "array_agg",
                    "string_agg",
                    "bool_and",
                    "bool_or",
                    "every");

    private final QueryContext context;
    private final CatalogQueryScope scope;
    private final Casts casts;
    private final ScalarFunctions scalars;

    FunctionCompiler(QueryContext context, CatalogQueryScope scope, Casts casts) {
        this.context = requireNonNull(context, "context is null");
        this.scope = requireNonNull(scope, "scope is null");
        this.casts = requireNonNull(casts, "casts is null");
        this.scalars = new ScalarFunctions(context, casts);
    }

    /** Whether a name without brackets calls a function. */
    static boolean isKeyword(String name) {
        return KEYWORDS.contains(name);
    }

    /** Whether there is a function of a name. */
    static boolean isFunction(String name) {
        return AGGREGATES.contains(name)
                || SetFunctions.isSet(name)
                || ScalarFunctions.isScalar(name)
                || Set.of("array", "any", "all", "some", "row_number").contains(name);
    }

    /** The name of a function: without a schema of the system. */
    static String name(Function function) {
        List<String> parts = function.getMultipartName();
        return Literals.name(parts.get(parts.size() - 1));
    }

    Typed compile(Function function, ExpressionCompiler expressions) {
        String name = name(function);
        if (name.equals("array")) {
            return arrayOfQuery(function, expressions);
        }
        if (AGGREGATES.contains(name)) {
            return aggregate(
                    name,
                    arguments(function, expressions),
                    function.isDistinct(),
                    sortKeys(function.getOrderByElements(), expressions),
                    Optional.empty());
        }
        List<Typed> arguments = arguments(function, expressions);
        if (SetFunctions.isSet(name)) {
            return scope.slots()
                    .set(
                            SetFunctions.elementType(name, arguments),
                            SetFunctions.compile(name, arguments, context));
        }
        return scalar(name, arguments);
    }

    private static List<Typed> arguments(Function function, ExpressionCompiler expressions) {
        if (function.getNamedParameters() != null) {
            return expressions.compileAll(function.getNamedParameters());
        }
        return function.isAllColumns() || function.getParameters() == null
                ? List.of()
                : expressions.compileAll(
                        new ExpressionList<>(
                                function.getParameters().stream()
                                        .filter(each -> !isStar(each))
                                        .map(Expression.class::cast)
                                        .toList()));
    }

    private static boolean isStar(Object argument) {
        return argument instanceof AllColumns;
    }

    private Typed arrayOfQuery(Function function, ExpressionCompiler expressions) {
        Expression argument = function.getParameters().get(0);
        if (!(argument instanceof Select) && function.getParameters().size() != 1) {
            return array(arguments(function, expressions));
        }
        SelectPlan plan = expressions.plan(Literals.select(argument));
        int element = plan.columns().get(0).type();
        return new Typed(SystemCatalog.INSTANCE.arrayOf(element), plan::first);
    }

    Typed analytic(AnalyticExpression analytic, ExpressionCompiler expressions) {
        String name = Literals.name(analytic.getName().replaceFirst("(?i)^pg_catalog\\.", ""));
        if (analytic.getType() == AnalyticType.OVER && name.equals("row_number")) {
            return scope.slots()
                    .rowNumber(
                            analytic.getPartitionExpressionList() == null
                                    ? List.of()
                                    : expressions.compileAll(analytic.getPartitionExpressionList()),
                            sortKeys(analytic.getOrderByElements(), expressions));
        }
        if (analytic.getType() != AnalyticType.FILTER_ONLY || !AGGREGATES.contains(name)) {
            throw CatalogValues.invalid("row_number() as the only window function", analytic);
        }
        List<Typed> arguments = new ArrayList<>();
        if (analytic.getExpression() != null && !analytic.isAllColumns()) {
            arguments.add(expressions.compile(analytic.getExpression()));
        }
        if (analytic.getOffset() != null) {
            arguments.add(expressions.compile(analytic.getOffset()));
        }
        return aggregate(
                name,
                arguments,
                analytic.isDistinct(),
                sortKeys(analytic.getFuncOrderBy(), expressions),
                Optional.of(expressions.compile(analytic.getFilterExpression())));
    }

    static List<Slots.SortKey> sortKeys(
            List<OrderByElement> elements, ExpressionCompiler expressions) {
        List<Slots.SortKey> keys = new ArrayList<>();
        if (elements != null) {
            for (OrderByElement element : elements) {
                keys.add(sortKey(element, expressions.compile(element.getExpression())));
            }
        }
        return keys;
    }

    static Slots.SortKey sortKey(OrderByElement element, Typed expression) {
        boolean areNullsFirst =
                element.getNullOrdering() == null
                        ? !element.isAsc()
                        : element.getNullOrdering() == OrderByElement.NullOrdering.NULLS_FIRST;
        return new Slots.SortKey(expression, element.isAsc(), areNullsFirst);
    }

    private Typed aggregate(
            String name,
            List<Typed> arguments,
            boolean isDistinct,
            List<Slots.SortKey> order,
            Optional<Typed> filter) {
        if (arguments.isEmpty() && !name.equals("count")) {
            throw CatalogValues.invalid("an argument of " + name, "none");
        }
        int argument = arguments.isEmpty() ? TypeOids.INT8 : arguments.get(0).type();
        int type =
                switch (name) {
                    case "count" -> TypeOids.INT8;
                    case "array_agg" ->
                            SystemCatalog.INSTANCE.arrayOf(
                                    argument == Typed.UNKNOWN ? TypeOids.TEXT : argument);
                    case "string_agg" -> TypeOids.TEXT;
                    case "bool_and", "bool_or", "every" -> TypeOids.BOOL;
                    case "sum" ->
                            argument == TypeOids.INT4 || argument == TypeOids.INT2
                                    ? TypeOids.INT8
                                    : TypeOids.NUMERIC;
                    case "avg" -> TypeOids.NUMERIC;
                    default -> argument;
                };
        return scope.slots().aggregate(type, name, arguments, isDistinct, order, filter);
    }

    Typed array(List<Typed> elements) {
        int type = common(elements);
        return new Typed(
                SystemCatalog.INSTANCE.arrayOf(type == Typed.UNKNOWN ? TypeOids.TEXT : type),
                frame ->
                        new CatalogValues.Elements(
                                elements.stream().map(element -> element.of(frame)).toList()));
    }

    Typed row(List<Typed> values) {
        List<String> names = new ArrayList<>();
        for (int index = 1; index <= values.size(); index++) {
            names.add("f" + index);
        }
        return new Typed(
                TypeOids.RECORD,
                frame ->
                        new CatalogValues.Fields(
                                names, values.stream().map(value -> value.of(frame)).toList()));
    }

    /**
     * Refuses {@code json_object} and similar functions, which no client calls in catalog queries.
     */
    Typed json(String text) {
        throw CatalogValues.invalid("json_build_object as the only function of JSON", text);
    }

    /** A call of a scalar function. */
    Typed scalar(String name, List<Typed> arguments) {
        return scalars.compile(name, arguments);
    }

    Typed operator(String operator, Typed left, Typed right) {
        int type = common(List.of(left, right));
        return switch (operator) {
            case "||" -> {
                boolean isArray = SystemCatalog.INSTANCE.elementOf(type) != 0;
                yield new Typed(
                        isArray ? type : TypeOids.TEXT,
                        frame ->
                                Operators.concat(
                                        left.of(frame),
                                        right.of(frame),
                                        casts,
                                        left.type(),
                                        right.type()));
            }
            case "+", "-", "*", "/", "%", "&", "|", "#", "<<", ">>" -> {
                context.infer(left, right.type());
                context.infer(right, left.type());
                yield new Typed(
                        type == Typed.UNKNOWN ? TypeOids.INT4 : type,
                        frame -> Operators.arithmetic(operator, left.of(frame), right.of(frame)));
            }
            default ->
                    throw CatalogValues.invalid(
                            "an operator that the catalog understands",
                            operator.toUpperCase(Locale.ROOT));
        };
    }

    /** The common type of several values. */
    static int common(List<Typed> values) {
        int found = Typed.UNKNOWN;
        for (Typed value : values) {
            int type = value.type();
            boolean isWider =
                    found == Typed.UNKNOWN || (type != Typed.UNKNOWN && rank(type) > rank(found));
            found = isWider ? type : found;
        }
        return found;
    }

    private static int rank(int type) {
        return switch (type) {
            case TypeOids.INT2 -> 1;
            case TypeOids.INT4 -> 2;
            case TypeOids.OID, TypeOids.INT8 -> 3;
            case TypeOids.NUMERIC -> 4;
            case TypeOids.FLOAT4 -> 5;
            case TypeOids.FLOAT8 -> 6;
            case TypeOids.CHAR -> 7;
            case TypeOids.NAME -> 8;
            case TypeOids.VARCHAR -> 9;
            case TypeOids.TEXT -> 10;
            default -> SystemCatalog.INSTANCE.elementOf(type) != 0 ? 11 : 0;
        };
    }
}
