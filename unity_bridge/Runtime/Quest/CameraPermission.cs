using UnityEngine;
#if UNITY_ANDROID && !UNITY_EDITOR
using UnityEngine.Android;
#endif

namespace Arwarden.Quest
{
    public enum PermissionState
    {
        Unknown,
        Asked,
        Granted,
        Denied,

        /// <summary>The question was closed without an answer, by the wearer or by another question.</summary>
        Unanswered,
    }

    /// <summary>
    /// The wearer's consent to the headset's cameras: asked for once, and once more when the app comes back where it was
    /// left unanswered; looked at again whenever the app comes back.
    /// </summary>
    public sealed class CameraPermission
    {
        public const string Name = "horizonos.permission.HEADSET_CAMERA";

#if UNITY_ANDROID && !UNITY_EDITOR
        private const int MostQuestions = 2;

        private int _questions;
#endif

        public PermissionState State { get; private set; }

        /// <summary>
        /// Asks, if it has not been granted or asked for: the system is asked by Java, so not once a frame. In the editor
        /// everything is granted.
        /// </summary>
        public void Ask()
        {
#if UNITY_ANDROID && !UNITY_EDITOR
            if (State != PermissionState.Unknown)
            {
                return;
            }
            LookAgain();
            if (State == PermissionState.Unknown)
            {
                State = PermissionState.Asked;
                _questions++;
                var callbacks = new PermissionCallbacks();
                callbacks.PermissionGranted += granted => State = PermissionState.Granted;
                callbacks.PermissionDenied += denied => State = PermissionState.Denied;
                callbacks.PermissionRequestDismissed += closed => State = PermissionState.Unanswered;
                Permission.RequestUserPermission(Name, callbacks);
            }
#else
            State = PermissionState.Granted;
#endif
        }

        /// <summary>The app is in front again.</summary>
        public void Returned()
        {
            LookAgain();
#if UNITY_ANDROID && !UNITY_EDITOR
            if (State == PermissionState.Unanswered && _questions < MostQuestions)
            {
                State = PermissionState.Unknown;
            }
#endif
        }

        /// <summary>The wearer may have changed it in the headset's settings.</summary>
        public void LookAgain()
        {
#if UNITY_ANDROID && !UNITY_EDITOR
            State = Permission.HasUserAuthorizedPermission(Name) ? PermissionState.Granted : State;
#endif
        }
    }
}
