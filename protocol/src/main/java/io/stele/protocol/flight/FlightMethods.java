package io.stele.protocol.flight;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;

/**
 * The gRPC method descriptors of {@code arrow.flight.protocol.FlightService}, for clients and for
 * the sidecar's service.
 */
public final class FlightMethods {
    public static final String SERVICE = "arrow.flight.protocol.FlightService";

    /** The greatest message: a batch of 64 MiB and its head. */
    public static final int MAX_MESSAGE_BYTES = 65 << 20;

    /**
     * The greatest message of a handshake: enough for user and password, too small for an attack on
     * memory.
     */
    public static final int MAX_HANDSHAKE_BYTES = 16 << 10;

    private static final MessageMarshaller<Handshake> HANDSHAKES =
            MessageMarshaller.limited(MAX_HANDSHAKE_BYTES, Handshake::encode, Handshake::decode);
    private static final MessageMarshaller<FlightDescriptor> DESCRIPTORS =
            MessageMarshaller.of(FlightDescriptor::encode, FlightDescriptor::decode);
    private static final MessageMarshaller<FlightInfo> INFOS =
            MessageMarshaller.of(FlightInfo::encode, FlightInfo::decode);
    private static final MessageMarshaller<FlightData> DATA =
            MessageMarshaller.streaming(FlightDataCodec::encode, FlightDataCodec::decode);

    public static final MethodDescriptor<Handshake, Handshake> HANDSHAKE =
            method("Handshake", MethodType.BIDI_STREAMING, HANDSHAKES, HANDSHAKES);

    public static final MethodDescriptor<Criteria, FlightInfo> LIST_FLIGHTS =
            method(
                    "ListFlights",
                    MethodType.SERVER_STREAMING,
                    MessageMarshaller.of(Criteria::encode, Criteria::decode),
                    INFOS);

    public static final MethodDescriptor<FlightDescriptor, FlightInfo> GET_FLIGHT_INFO =
            method("GetFlightInfo", MethodType.UNARY, DESCRIPTORS, INFOS);

    public static final MethodDescriptor<FlightDescriptor, SchemaResult> GET_SCHEMA =
            method(
                    "GetSchema",
                    MethodType.UNARY,
                    DESCRIPTORS,
                    MessageMarshaller.of(SchemaResult::encode, SchemaResult::decode));

    public static final MethodDescriptor<Ticket, FlightData> DO_GET =
            method(
                    "DoGet",
                    MethodType.SERVER_STREAMING,
                    MessageMarshaller.of(Ticket::encode, Ticket::decode),
                    DATA);

    public static final MethodDescriptor<FlightData, PutResult> DO_PUT =
            method(
                    "DoPut",
                    MethodType.BIDI_STREAMING,
                    DATA,
                    MessageMarshaller.of(PutResult::encode, PutResult::decode));

    public static final MethodDescriptor<FlightData, FlightData> DO_EXCHANGE =
            method("DoExchange", MethodType.BIDI_STREAMING, DATA, DATA);

    public static final MethodDescriptor<FlightAction, ActionResult> DO_ACTION =
            method(
                    "DoAction",
                    MethodType.SERVER_STREAMING,
                    MessageMarshaller.of(FlightAction::encode, FlightAction::decode),
                    MessageMarshaller.of(ActionResult::encode, ActionResult::decode));

    public static final MethodDescriptor<Empty, ActionType> LIST_ACTIONS =
            method(
                    "ListActions",
                    MethodType.SERVER_STREAMING,
                    MessageMarshaller.of(empty -> new byte[0], message -> Empty.EMPTY),
                    MessageMarshaller.of(ActionType::encode, ActionType::decode));

    private FlightMethods() {}

    private static <Q, R> MethodDescriptor<Q, R> method(
            String name,
            MethodType type,
            MessageMarshaller<Q> request,
            MessageMarshaller<R> response) {
        return MethodDescriptor.<Q, R>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(request)
                .setResponseMarshaller(response)
                .build();
    }
}
