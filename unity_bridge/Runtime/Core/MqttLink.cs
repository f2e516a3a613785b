using System;

namespace Arwarden.Core
{
    public enum LinkState
    {
        Offline,
        Connecting,
        Online,

        /// <summary>The broker does not want us (password, rights): tried again, but slowly.</summary>
        Refused,
        Stopped,
    }

    /// <summary>Is told what a link has to say, on the thread that pumps it.</summary>
    public interface IMqttListener
    {
        /// <summary>A message; <paramref name="receivedMs"/> is when it arrived, on the headset's clock.</summary>
        void OnMqttMessage(string topic, byte[] payload, bool retained, double receivedMs);

        void OnMqttState(LinkState state, string reason);
    }

    /// <summary>
    /// A connection to a broker. It connects by itself, connects again after each loss and subscribes again. Implement
    /// it to use another MQTT library.
    /// </summary>
    public interface IMqttLink : IDisposable
    {
        LinkState State { get; }

        /// <summary>Before <see cref="Start"/>: a topic that is wanted for the life of the link.</summary>
        void Subscribe(string topic, int qos);

        void Start();

        /// <summary>
        /// Hands over a message without waiting; QoS 1 is kept and sent again until the broker has it, and again, for a
        /// minute or so, where it has it for nobody yet (MQTT 5: PUBACK with reason 0x10). False where it is dropped at
        /// once. <paramref name="expiryS"/> above 0: not worth delivering after so many seconds.
        /// </summary>
        bool Publish(string topic, byte[] payload, int qos, bool retain, int expiryS);

        /// <summary>Once a frame, always on the same thread: tells the listener what has happened.</summary>
        void Pump(IMqttListener listener);
    }
}
